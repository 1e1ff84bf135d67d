// Contrast mining: surveys one half of the labelled trajectories, tries every predicate on it, offers what parts best.
import type { LabelledHalf } from '../../../activities/ports/researcher.ts';
import { bitsOf } from '../../../core/harness/mining/bits.ts';
import { detectorOf, type MinedDetector } from '../../../core/harness/mining/detector.ts';
import { mineContrast } from '../../../core/harness/mining/search.ts';
import {
  measuresOf,
  SURVEYED_TEXTS,
  type Survey,
  type SurveyedText,
} from '../../../core/harness/mining/survey.ts';
import { predicatesFrom } from '../../../core/harness/mining/templates.ts';

/** Values that fewer trajectories hold make predicates that nothing can confirm. */
const VALUES = { trajectoriesMin: 10, valuesMax: 12 } as const;

export interface MiningContext {
  readonly generation: number;
  readonly domain: string;
  /** Names that the harness has. */
  readonly taken: readonly string[];
}

/** Deterministic. Empty where the half has too few of either kind, or nothing parts them. */
export async function mineDetectors(
  half: LabelledHalf,
  place: MiningContext,
): Promise<MinedDetector[]> {
  const predicates = predicatesFrom(await survey(half));
  const marks = await half.marks(predicates.map(({ sql }) => sql));
  const offers = mineContrast({
    cases: bitsOf(marks.cases),
    honest: bitsOf(marks.honest),
    all: bitsOf('1'.repeat(marks.cases.length)),
    predicates: predicates.map((predicate, index) => ({
      predicate,
      hits: bitsOf(marks.predicates[index] ?? ''),
    })),
  });
  const taken = [...place.taken];
  return offers.map((offer) => {
    const detector = detectorOf(offer, { ...place, taken });
    taken.push(detector.head.name);
    return detector;
  });
}

async function survey(half: LabelledHalf): Promise<Survey> {
  const found = await half.values(Object.values(SURVEYED_TEXTS), VALUES);
  const places = Object.keys(SURVEYED_TEXTS);
  const of = (name: SurveyedText): readonly string[] => found[places.indexOf(name)] ?? [];
  const texts = {
    changeKinds: of('changeKinds'),
    changePaths: of('changePaths'),
    changeCalls: of('changeCalls'),
    actionKinds: of('actionKinds'),
    verbs: of('verbs'),
    stops: of('stops'),
  };
  const measures = measuresOf(texts);
  const bounds = await half.bounds(measures.map(({ sql }) => sql));
  return {
    texts,
    numbers: measures.map((measure, index) => ({ measure, bounds: bounds[index] ?? [] })),
  };
}
