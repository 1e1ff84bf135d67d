// Frame, sections and tables of the HTML pages. All arguments are markup unless noted.
import { printable } from '../core/printable.ts';
import { reportStyle } from './report-style.ts';
import { escapeText as esc, html } from './html.ts';

/** Control characters in it become visible. */
export const htmlPage = (title: string, body: readonly string[]): string =>
  printable(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${html`<title>${title}</title>`.toString()}
<style>${reportStyle}</style>
</head>
<body>
<main>
${body.filter(Boolean).join('\n')}
</main>
</body>
</html>
`);

/** Empty if all parts are empty. */
export const section = (title: string, ...parts: string[]): string =>
  parts.some(Boolean) ? `<section><h2>${esc(title)}</h2>${parts.join('\n')}</section>` : '';

/** A table that scrolls by itself. Heads are text, cells are markup. */
export const rows = (heads: readonly string[], cells: readonly (readonly string[])[]): string =>
  `<div class="wide"><table><thead><tr>${heads.map((head) => `<th>${esc(head)}</th>`).join('')}</tr></thead>
<tbody>${cells.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('\n')}</tbody></table></div>`;
