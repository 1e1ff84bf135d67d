// SVG without a DOM: elements, and linear scales with round ticks.
import { type Child, escapeText, html, Markup } from './html.ts';

type Attributes = Readonly<Record<string, string | number | undefined>>;

/** An element. Its name and the names of its attributes are of our own code. */
export function element(name: string, attributes: Attributes, ...children: Child[]): Markup {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => {
      const text =
        typeof value === 'number' ? String(Math.round(value * 100) / 100) : (value ?? '');
      return ` ${key}="${escapeText(text)}"`;
    });
  return Markup.trusted(`<${name}${written.join('')}>${html`${children}`.toString()}</${name}>`);
}

export interface Scale {
  (value: number): number;
  readonly domain: readonly [number, number];
  readonly ticks: readonly number[];
}

/** Maps a domain, widened to round ticks, onto a range. */
export function linearScale(
  domain: readonly [number, number],
  range: readonly [number, number],
  count = 5,
): Scale {
  const ticks = niceTicks(domain[0], domain[1], count);
  const low = Math.min(domain[0], ticks[0] ?? domain[0]);
  const high = Math.max(domain[1], ticks.at(-1) ?? domain[1]);
  const span = high - low || 1;
  const scale = (value: number): number =>
    range[0] + ((value - low) / span) * (range[1] - range[0]);
  return Object.assign(scale, { domain: [low, high] as const, ticks });
}

/** Multiples of 1, 2 or 5 times a power of ten that cover the interval. */
export function niceTicks(low: number, high: number, count: number): number[] {
  const span = high - low || Math.abs(high) || 1;
  const rough = span / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough) ?? rough;
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  return Array.from({ length: last - first + 1 }, (_, index) => tidy((first + index) * step));
}

const tidy = (value: number): number => Number(value.toPrecision(12));

/** `M0,1L2,3`, broken where a point is missing. */
export function linePath(points: readonly (readonly [number, number] | null)[]): string {
  let path = '';
  let isDown = false;
  for (const point of points) {
    if (point === null) isDown = false;
    else {
      path += `${isDown ? 'L' : 'M'}${point[0].toFixed(1)},${point[1].toFixed(1)}`;
      isDown = true;
    }
  }
  return path;
}

export const text = (x: number, y: number, content: string, attributes: Attributes = {}): Markup =>
  element('text', { x, y, ...attributes }, content);

/** A plot that scales with the page; `label` is for screen readers. */
export const svg = (width: number, height: number, label: string, ...children: Child[]): Markup =>
  element(
    'svg',
    { viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': label },
    ...children,
  );
