// Looks after the detectors that are in force: retires what is unused or harmful, and lets one block that proved itself twice.
import { decideAdmission } from '../../core/harness/admission.ts';
import { featuresOf } from '../../core/harness/definition.ts';
import { recipeFeatures } from '../../core/harness/job-features.ts';
import { bitsOf, both, either, overlap, sizeOf } from '../../core/harness/mining/bits.ts';
import {
  confirmingDetectors,
  type DetectorRecord,
  reviewDetector,
  UNUSED_GENERATIONS,
  withoutDetector,
} from '../../core/harness/retirement.ts';
import type { FeatureDefinition, Harness } from '../../core/schemas/harness.ts';
import type { Recipe } from '../../core/schemas/recipe.ts';
import { type LabelledSet, openHalf } from './labeled-sample.ts';
import type { Analytics } from '../ports/analytics.ts';
import { sealDefinition } from './with-digest.ts';
import { measureDetector } from './try-revision.ts';

/** A labelled DIAG set, whose, and of which generation. */
export interface StoredSet extends LabelledSet {
  readonly generation: number;
  /** 'incumbent' or the name of a branch. */
  readonly policy: string;
}

interface Said {
  readonly name: string;
  readonly why: string;
}

export interface Reviewed {
  readonly harness: Harness;
  readonly retired: readonly Said[];
  readonly refused: readonly Said[];
  /** Blocking detectors whose retirement only a human may decide. */
  readonly asked: readonly Said[];
  /** Admitted ones that block from now on. */
  readonly blocking: readonly Said[];
}

export async function reviewDetectors(
  analytics: Analytics,
  given: {
    readonly harness: Harness;
    readonly recipe: Recipe;
    readonly sets: readonly StoredSet[];
  },
): Promise<Reviewed> {
  const { recipe, sets } = given;
  const said = { retired: [] as Said[], refused: [] as Said[], asked: [] as Said[] };
  const blocking: Said[] = [];
  let harness = given.harness;
  const used = recipeFeatures(recipe);
  for (const record of await recordsOf(analytics, given.harness, sets)) {
    const { name } = record;
    const review = reviewDetector({ ...record, isUsedByRecipe: used.includes(name) });
    if (review.decision === 'retire') {
      const without = withoutDetector(harness, name);
      const lost = await lostCases(analytics, harness, without, sets);
      if (lost === 0) {
        harness = without;
        said.retired.push({ name, why: review.why });
      } else {
        said.refused.push({
          name,
          why: `${review.why}, but without it ${lost} confirmed past cases would be missed`,
        });
      }
    } else if (review.decision === 'keep') {
      const detector = featuresOf(harness).find(({ head }) => head.name === name);
      const why = detector && (await whyItMayBlock(analytics, detector, harness, sets));
      if (detector === undefined || why == null) continue;
      harness = withStatus(harness, detector, 'blocking');
      blocking.push({ name, why });
    } else {
      said[review.decision === 'refuse' ? 'refused' : 'asked'].push({ name, why: review.why });
    }
  }
  return { harness, ...said, blocking };
}

type Record = Omit<DetectorRecord, 'isUsedByRecipe'>;

/** What each detector did on all stored sets, and mined ones on the last generations since they came in. */
async function recordsOf(
  analytics: Analytics,
  harness: Harness,
  sets: readonly StoredSet[],
): Promise<Record[]> {
  const detectors = featuresOf(harness).filter(({ head }) => head.class !== null);
  if (detectors.length === 0 || sets.length === 0) return [];
  const sql = detectors.map((detector) => detector.sql);
  const { honest, predicates } = await openHalf(analytics, 'all', sets, [], detectors).marks(sql);
  const honestBits = bitsOf(honest);
  const records: Record[] = [];
  for (const [index, detector] of detectors.entries()) {
    const { head } = detector;
    const since = harness.mined?.find((one) => one.detector === head.name)?.generation ?? null;
    const recent = since === null ? [] : recentSets(sets, since);
    records.push({
      name: head.name,
      status: head.status,
      isMined: since !== null,
      generations: new Set(recent.map(({ generation }) => generation)).size,
      hits: recent.length === 0 ? 0 : await countHits(analytics, detector, recent),
      honest: sizeOf(honestBits),
      falseAlarms: overlap(bitsOf(predicates[index] ?? ''), honestBits),
    });
  }
  return records;
}

function recentSets(sets: readonly StoredSet[], since: number): StoredSet[] {
  const generations = [...new Set(sets.map(({ generation }) => generation))]
    .filter((generation) => generation >= since)
    .toSorted((a, b) => b - a)
    .slice(0, UNUSED_GENERATIONS);
  return sets.filter(({ generation }) => generations.includes(generation));
}

async function countHits(
  analytics: Analytics,
  detector: FeatureDefinition,
  sets: readonly StoredSet[],
): Promise<number> {
  const half = openHalf(analytics, 'all', sets, [], [detector]);
  const { predicates } = await half.marks([detector.sql]);
  return sizeOf(bitsOf(predicates[0] ?? ''));
}

/** Invalid successes that detectors of `before` confirm and none of `after` does. */
export async function lostCases(
  analytics: Analytics,
  before: Harness,
  after: Harness,
  sets: readonly LabelledSet[],
): Promise<number> {
  const confirming = confirmingDetectors(before);
  if (confirming.length === 0 || sets.length === 0) return 0;
  const half = openHalf(analytics, 'all', sets, confirmingDetectors(after));
  const { cases, predicates } = await half.marks(confirming.map(({ sql }) => sql));
  const found = predicates.map(bitsOf).reduce(either);
  return sizeOf(both(bitsOf(cases), found));
}

/** Its trial holds again on evidence that came after it: branches of its own generation, and everything since. */
async function whyItMayBlock(
  analytics: Analytics,
  detector: FeatureDefinition,
  harness: Harness,
  sets: readonly StoredSet[],
): Promise<string | null> {
  const since = harness.mined?.find((one) => one.detector === detector.head.name)?.generation;
  if (detector.head.status !== 'admitted' || since === undefined) return null;
  const fresh = sets.filter(
    ({ generation, policy }) =>
      generation > since || (generation === since && policy !== 'incumbent'),
  );
  if (fresh.length === 0) return null;
  const known = confirmingDetectors(harness).filter(({ head }) => head.name !== detector.head.name);
  const trial = await measureDetector(analytics, detector, { half: 'all', sets: fresh, known });
  const { decision, why } = decideAdmission(trial);
  return decision === 'admitted' ? `on evidence that came after it, it ${why}` : null;
}

function withStatus(
  harness: Harness,
  { kind, head, sql }: FeatureDefinition,
  status: FeatureDefinition['head']['status'],
): Harness {
  const changed = sealDefinition({ kind, head: { ...head, status }, sql });
  return {
    ...harness,
    definitions: harness.definitions.map((one) =>
      one.kind === 'feature' && one.head.name === head.name ? changed : one,
    ),
  };
}
