// Colors on a terminal that wants them, plain text everywhere else.
import { wantsColor } from '../../workers/config.ts';

export type Paint = (text: string) => string;
export interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly cyan: Paint;
}

const paint =
  (on: number, off: number): Paint =>
  (text) =>
    text === '' ? '' : `\u001B[${on}m${text}\u001B[${off}m`;

export const COLORS: Style = {
  bold: paint(1, 22),
  dim: paint(2, 22),
  red: paint(31, 39),
  green: paint(32, 39),
  yellow: paint(33, 39),
  cyan: paint(36, 39),
};

const same: Paint = (text) => text;
export const NO_COLORS: Style = {
  bold: same,
  dim: same,
  red: same,
  green: same,
  yellow: same,
  cyan: same,
};

export function styleFor(stream: { readonly isTTY?: boolean }): Style {
  return stream.isTTY && wantsColor() ? COLORS : NO_COLORS;
}

// oxlint-disable-next-line no-control-regex
const escapes = /\u001B\[[0-9;]*m/g;

export const plain: Paint = (text) => text.replace(escapes, '');
export const visibleLength = (text: string): number => plain(text).length;

/** Cuts to a visible width; keeps all escapes, so that colors are closed. */
export function cut(text: string, width: number): string {
  if (visibleLength(text) <= width) return text;
  let seen = 0;
  let kept = '';
  for (const part of text.split(/(\u001B\[[0-9;]*m)/)) {
    if (part.startsWith('\u001B')) kept += part;
    else {
      kept += part.slice(0, Math.max(0, width - 1 - seen));
      seen += part.length;
    }
  }
  return `${kept}…`;
}
