// Markup that escapes by itself: what a page interpolates is text, unless it is markup already.
import { printable } from '../core/printable.ts';

/** A piece of a page. Only `html`, `joined` and `trusted` make one. */
export class Markup {
  readonly #text: string;

  private constructor(text: string) {
    this.#text = text;
  }

  /** Of characters that are markup on purpose, such as the drawing code's. Never of foreign text. */
  static trusted(text: string): Markup {
    return new Markup(text);
  }

  toString(): string {
    return this.#text;
  }
}

/** `null`, `undefined` and `false` are nothing, so that a part can be left out by a condition. */
export type Child = Markup | string | number | null | undefined | false | readonly Child[];

/** A template whose values are escaped, also within quoted attributes. Control characters in them become visible. */
export const html = (parts: TemplateStringsArray, ...values: readonly Child[]): Markup =>
  Markup.trusted(parts.map((part, index) => written(values[index - 1]) + part).join(''));

function written(child: Child): string {
  if (child === null || child === undefined || child === false) return '';
  if (child instanceof Markup) return child.toString();
  if (typeof child === 'object') return child.map((one) => written(one)).join('');
  return escapeText(String(child));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export const escapeText = (text: string): string =>
  printable(text).replaceAll(/[&<>"']/g, (found) => ENTITIES[found] ?? found);
