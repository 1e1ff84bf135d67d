// A curve as a word of heights, for terminals.
const HEIGHTS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/** At most `width` characters, each the last known value of its part of the curve; heights are shares of `top`. */
export function sparkline(values: readonly (number | null)[], width: number, top: number): string {
  const known = values.filter((value) => value !== null);
  const count = Math.min(width, known.length);
  const shown = Array.from(
    { length: count },
    (_, at) => known[Math.ceil(((at + 1) * known.length) / count) - 1] ?? 0,
  );
  return shown.map((value) => HEIGHTS[heightOf(value, top)]).join('');
}

const heightOf = (value: number, top: number): number =>
  top <= 0 ? 0 : Math.min(HEIGHTS.length - 1, Math.max(0, Math.round((value / top) * 7)));
