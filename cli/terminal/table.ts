// Aligned columns; colors do not count as width.
import { visibleLength } from './style.ts';
import { wrapWords } from './wrap-words.ts';

/**
 * Numbers are right-aligned, words left-aligned, with two spaces between columns. With `columns`, the text of the last
 * column continues below itself.
 */
export function table(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  { indent = '', columns = Infinity }: { readonly indent?: string; readonly columns?: number } = {},
): string[] {
  const all = [heads, ...rows];
  const widths = heads.map((_, column) =>
    Math.max(...all.map((row) => visibleLength(row[column] ?? ''))),
  );
  const isNumeric = heads.map((_, column) =>
    rows.every((row) => /^([-+]?[\d.,]+%?|–|)$/.test(strip(row[column] ?? ''))),
  );
  const hang = widths.slice(0, -1).reduce((sum, width) => sum + width + 2, indent.length);
  return all.flatMap((row) =>
    wrapWords(
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
      columns,
      { hang },
    ),
  );
}

const strip = (text: string): string => text.replace(/\u001B\[[0-9;]*m/g, '');

/** `━━━━━━╺───` of the given width. */
export function bar(share: number, width: number): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * width);
  return '━'.repeat(full) + '─'.repeat(width - full);
}
