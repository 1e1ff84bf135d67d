// Scores what mining brought against the catalogue's own detectors, where the harness does not have them.
import { type Catalog, featuresOf, holdsFor } from '../../core/harness/definition.ts';
import { scoreAgainstKeys } from '../../core/harness/answer-key.ts';
import { bitsOf } from '../../core/harness/mining/bits.ts';
import type { Harness } from '../../core/schemas/harness.ts';
import type { KeyScore } from '../../core/schemas/revision.ts';
import { openHalf } from './labeled-sample.ts';
import type { Analytics } from '../ports/analytics.ts';
import type { StoredSet } from './review-detectors.ts';

/** One score a detector that is new in `harness`, on the half that was not mined; none where it finds what no key does. */
export async function scoreDetectors(
  analytics: Analytics,
  catalog: Catalog,
  given: {
    readonly before: Harness;
    readonly harness: Harness;
    readonly sets: readonly StoredSet[];
  },
): Promise<KeyScore[]> {
  const { before, harness, sets } = given;
  const known = before.definitions.map(({ head }) => head.name);
  const mined = featuresOf(harness).filter(({ head }) => !known.includes(head.name));
  const keys = featuresOf(catalog).filter(
    ({ head }) =>
      head.class !== null &&
      holdsFor(head.domains, harness.domain.name) &&
      !known.includes(head.name),
  );
  const branches = sets.filter(({ policy }) => policy !== 'incumbent');
  const over = branches.length > 0 ? branches : sets;
  if (mined.length === 0 || keys.length === 0 || over.length === 0) return [];
  const sql = [...mined, ...keys].map((feature) => feature.sql);
  const marks = await openHalf(analytics, 'admission', over, []).marks(sql);
  const hits = marks.predicates.map(bitsOf);
  const named = [...mined, ...keys].map(({ head }, index) => ({
    name: head.name,
    hits: hits[index] ?? bitsOf(''),
  }));
  const all = bitsOf('1'.repeat(marks.cases.length));
  return named.slice(0, mined.length).flatMap((detector) => {
    const score = scoreAgainstKeys(detector, named.slice(mined.length), all);
    return score === null ? [] : [score];
  });
}
