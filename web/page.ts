// Frame, sections and tables of the HTML pages.
import { type Child, html, Markup } from './html.ts';
import { reportStyle } from './report-style.ts';

export const htmlPage = (title: string, body: readonly Child[]): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <style>
          ${Markup.trusted(reportStyle)}
        </style>
      </head>
      <body>
        <main>${body.map((part) => (part ? [part, '\n'] : null))}</main>
      </body>
    </html> `.toString();

/** Null if all parts are nothing. */
export const section = (title: string, ...parts: Child[]): Markup | null =>
  parts.some(Boolean)
    ? html`<section>
        <h2>${title}</h2>
        ${parts.map((part) => [part, '\n'])}
      </section>`
    : null;

/** A table that scrolls by itself. */
export const rows = (heads: readonly string[], cells: readonly (readonly Child[])[]): Markup =>
  html`<div class="wide">
    <table>
      <thead>
        <tr>
          ${heads.map((head) => html`<th>${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${cells.map(
          (row) =>
            html`<tr>
              ${row.map((cell) => html`<td>${cell}</td>`)}
            </tr> `,
        )}
      </tbody>
    </table>
  </div>`;
