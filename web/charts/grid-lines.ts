import type { Markup } from '../html.ts';
import { element, type Scale, text } from '../svg.ts';

/** A line across the plot at each tick of its vertical scale, with the tick's value at the left. */
export const gridLines = (
  y: Scale,
  { left, right }: { readonly left: number; readonly right: number },
  width: number,
): Markup[] =>
  y.ticks.flatMap((tick) => [
    element('line', { class: 'grid', x1: left, x2: width - right, y1: y(tick), y2: y(tick) }),
    text(left - 8, y(tick) + 4, String(tick), { class: 'label', 'text-anchor': 'end' }),
  ]);
