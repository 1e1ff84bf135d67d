// Intervals as dots on a line, each row on the same scale: differences, scores of trainings, values of metrics.
import type { Markup } from '../html.ts';
import { element, linearScale, svg } from '../svg.ts';

export interface DotRow {
  readonly mean: number;
  readonly low: number | null;
  readonly high: number | null;
}

const size = { width: 150, height: 24, side: 6 };

/** The scale of several rows that are compared; it includes `reference`. */
export const dotScale = (rows: readonly DotRow[], reference: readonly number[]) =>
  linearScale(
    [
      Math.min(...reference, ...rows.map(({ mean, low }) => low ?? mean)),
      Math.max(...reference, ...rows.map(({ mean, high }) => high ?? mean)),
    ],
    [size.side, size.width - size.side],
    2,
  );

/** One row: its interval, its mean, the reference as a dashed line, and the band of what is healthy. */
export function dotRow(
  { mean, low, high }: DotRow,
  x: (value: number) => number,
  shown: {
    readonly label: string;
    readonly reference?: number;
    readonly band?: readonly [number, number];
    readonly severity?: string;
  },
): Markup {
  const middle = size.height / 2;
  const { label, reference, band, severity = '' } = shown;
  return svg(
    size.width,
    size.height,
    label,
    band &&
      element('rect', {
        class: 'healthy',
        x: x(band[0]),
        y: middle - 4,
        width: Math.max(1, x(band[1]) - x(band[0])),
        height: 8,
      }),
    reference !== undefined &&
      element('line', {
        class: 'between',
        x1: x(reference),
        x2: x(reference),
        y1: 2,
        y2: size.height - 2,
      }),
    low !== null &&
      high !== null &&
      element('line', { class: 'interval', x1: x(low), x2: x(high), y1: middle, y2: middle }),
    element('circle', { class: `point ${severity}`, cx: x(mean), cy: middle, r: 4 }),
  );
}
