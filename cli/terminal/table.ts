// Aligned columns; colors do not count as width.
import { visibleLength } from './style.ts';

/** Numbers are right-aligned, words left-aligned, with two spaces between columns. */
export function table(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  indent = '',
): string[] {
  const all = [heads, ...rows];
  const widths = heads.map((_, column) =>
    Math.max(...all.map((row) => visibleLength(row[column] ?? ''))),
  );
  const isNumeric = heads.map((_, column) =>
    rows.every((row) => /^([-+]?[\d.,]+%?|–|)$/.test(strip(row[column] ?? ''))),
  );
  return all.map((row) =>
    (
      indent +
      widths
        .map((width, column) => {
          const cell = row[column] ?? '';
          const gap = ' '.repeat(Math.max(0, width - visibleLength(cell)));
          return isNumeric[column] ? gap + cell : cell + gap;
        })
        .join('  ')
    ).trimEnd(),
  );
}

const strip = (text: string): string => text.replace(/\u001B\[[0-9;]*m/g, '');

/** `━━━━━━╺───` of the given width. */
export function bar(share: number, width: number): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * width);
  return '━'.repeat(full) + '─'.repeat(width - full);
}
