// Cells and tables of docs/detectors.md.
import { wilson } from '../../core/stats/intervals.ts';

/** `91 (74.0 %; 65.6 % to 80.9 %)`: a part of a whole with its two-sided 95 % interval by Wilson. */
export function share(part: number, whole: number): string {
  if (whole === 0) return '–';
  const { low, high } = wilson(part, whole, 0.95, 2);
  return `${part} (${percent(part / whole)}; ${percent(low)} to ${percent(high)})`;
}

const percent = (value: number): string => `${(100 * value).toFixed(1)} %`;

export const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string[] => [
  `| ${heads.join(' | ')} |`,
  `|${heads.map(() => '---').join('|')}|`,
  ...rows.map((row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`),
];
