// How well a mined detector finds what the catalogue's would have found: the catalogue is the answer key of a blind start.
import type { KeyScore } from '../schemas/revision.ts';
import { wilson } from '../stats/intervals.ts';
import { type Bits, both, overlap, sizeOf, without } from './mining/bits.ts';

/** Against the key that overlaps most with it (Jaccard); null where it meets none. Bounds are one-sided at 95 %. */
export function scoreAgainstKeys(
  detector: { readonly name: string; readonly hits: Bits },
  keys: readonly { readonly name: string; readonly hits: Bits }[],
  all: Bits,
): KeyScore | null {
  const [best] = keys
    .map((key) => {
      const shared = overlap(detector.hits, key.hits);
      const union = sizeOf(detector.hits) + sizeOf(key.hits) - shared;
      return { key, shared, likeness: union === 0 ? 0 : shared / union };
    })
    .filter(({ shared }) => shared > 0)
    .toSorted((a, b) => b.likeness - a.likeness || (a.key.name < b.key.name ? -1 : 1));
  if (best === undefined) return null;
  const elsewhere = without(all, best.key.hits);
  return {
    detector: detector.name,
    key: best.key.name,
    onKey: share(best.shared, sizeOf(best.key.hits)),
    elsewhere: share(sizeOf(both(detector.hits, elsewhere)), sizeOf(elsewhere)),
  };
}

function share(hits: number, n: number): KeyScore['onKey'] {
  const { low, high } = wilson(hits, n, 0.95, 1);
  return { hits, n, low, high };
}
