// From predicates to the short expression that best parts invalid from honest successes, on the mining half alone.
import { wilson } from '../../stats/intervals.ts';
import {
  type Bits,
  combine,
  type Connective,
  fingerprint,
  joinedOverlap,
  overlap,
  sizeOf,
  without,
} from './bits.ts';
import type { Predicate } from './predicate.ts';

const LEVEL = 0.95;
/** What one more predicate must gain in sensitivity to be worth reading. */
const LENGTH_PENALTY = 0.02;
/** A false alarm costs so many times what a missed case does: admission allows 2 % of them. */
const FALSE_ALARM_WEIGHT = 8;
const LITERALS_MAX = 3;
/** How many expressions of each length are made longer, for either connective. */
const BEAM = 50;
/** Fewer tell a pattern from an accident for no detector. */
const CASES_MIN = 8;
const HONEST_MIN = 20;
/** An offer that the mining half already speaks against is not worth the admission half's trial. */
const SENSITIVITY_MIN = 0.4;
const EXCESS_MAX = 0.02;
const OFFERS_MAX = 3;

export interface Literal {
  readonly predicate: Predicate;
  readonly isNegated: boolean;
}

/** Literals joined from left to right; the first connective is unused. */
export type Expression = readonly { readonly join: Connective; readonly literal: Literal }[];

/** The mining half: which trajectories are cases and which are honest, and where each predicate holds. */
export interface MiningTable {
  readonly cases: Bits;
  readonly honest: Bits;
  readonly all: Bits;
  readonly predicates: readonly { readonly predicate: Predicate; readonly hits: Bits }[];
}

/** Bounds are one-sided at 95 %, on the half that was mined: they flatter, and admission measures again. */
export interface MinedRates {
  readonly cases: number;
  readonly caught: number;
  readonly honest: number;
  readonly falseAlarms: number;
  readonly sensitivityLow: number;
  readonly falsePositivesHigh: number;
}

export interface Offer {
  readonly expression: Expression;
  readonly measured: MinedRates;
}

interface Candidate {
  readonly expression: Expression;
  readonly hits: Bits;
  readonly caught: number;
  readonly falseAlarms: number;
  readonly score: number;
}

/** The best offers, each on the cases that the ones before it leave; empty where nothing parts the two. */
export function mineContrast(table: MiningTable): Offer[] {
  const offers: Offer[] = [];
  let left = table.cases;
  while (offers.length < OFFERS_MAX) {
    const best = mineOne({ ...table, cases: left });
    if (best === null) break;
    offers.push({
      expression: best.expression,
      measured: measure({ ...table, cases: left }, best),
    });
    left = without(left, best.hits);
  }
  return offers;
}

function mineOne(table: MiningTable): Candidate | null {
  if (sizeOf(table.cases) < CASES_MIN || sizeOf(table.honest) < HONEST_MIN) return null;
  const score = scorer(table);
  const singles = distinct(
    literalsOf(table).map(({ expression, hits }) => ({
      expression,
      hits,
      ...score(expression.length, overlap(hits, table.cases), overlap(hits, table.honest)),
    })),
  );
  let level = singles;
  let best = bestOf(singles, null);
  for (let length = 2; length <= LITERALS_MAX; length += 1) {
    // The longest are compared with the best alone; what may still grow is kept.
    const floor = length === LITERALS_MAX ? best : null;
    const growing = { table, singles, score, floor };
    level = distinct([
      ...grow(growing, mostCaught(level), 'and'),
      ...grow(growing, fewestAlarms(level), 'or'),
    ]);
    best = bestOf(level, best);
  }
  return best !== null && isWorthOffering(measure(table, best)) ? best : null;
}

type Unscored = Pick<Candidate, 'expression' | 'hits'>;

function literalsOf({ predicates, all }: MiningTable): Unscored[] {
  return predicates.flatMap(({ predicate, hits }) => [
    { expression: [{ join: 'and', literal: { predicate, isNegated: false } }], hits },
    {
      expression: [{ join: 'and', literal: { predicate, isNegated: true } }],
      hits: without(all, hits),
    },
  ]);
}

type Score = (
  length: number,
  caught: number,
  falseAlarms: number,
) => Pick<Candidate, 'caught' | 'falseAlarms' | 'score'>;

/** Bounds are computed once a count, not once an expression. */
function scorer({ cases, honest }: MiningTable): Score {
  const [casesCount, honestCount] = [sizeOf(cases), sizeOf(honest)];
  const low = memoized((caught) => wilson(caught, casesCount, LEVEL, 1).low);
  const high = memoized((alarms) => wilson(alarms, honestCount, LEVEL, 1).high);
  return (length, caught, falseAlarms) => {
    const excess = high(falseAlarms) - high(0);
    const score = low(caught) - FALSE_ALARM_WEIGHT * excess - LENGTH_PENALTY * (length - 1);
    return { caught, falseAlarms, score };
  };
}

function memoized(compute: (count: number) => number): (count: number) => number {
  const known = new Map<number, number>();
  return (count) => {
    const found = known.get(count) ?? compute(count);
    known.set(count, found);
    return found;
  };
}

interface Growing {
  readonly table: MiningTable;
  readonly singles: readonly Candidate[];
  readonly score: Score;
  /** What does not score better is dropped; null keeps whatever gained. */
  readonly floor: Candidate | null;
}

function grow(
  { table, singles, score, floor }: Growing,
  seeds: readonly Candidate[],
  join: Connective,
): Candidate[] {
  const grown: Candidate[] = [];
  for (const seed of seeds) {
    for (const { expression, hits } of singles) {
      const literal = expression[0]?.literal;
      if (literal === undefined || !mayJoin(seed, literal, join)) continue;
      const caught = joinedOverlap(seed.hits, hits, join, table.cases);
      const falseAlarms = joinedOverlap(seed.hits, hits, join, table.honest);
      // What the added predicate does not better is not worth its length, nor a place in the next round.
      const isBetter = join === 'and' ? falseAlarms < seed.falseAlarms : caught > seed.caught;
      if (!isBetter || caught === 0) continue;
      const scored = score(seed.expression.length + 1, caught, falseAlarms);
      if (floor !== null && scored.score < floor.score) continue;
      grown.push({
        expression: [...seed.expression, { join, literal }],
        hits: combine(seed.hits, hits, join),
        ...scored,
      });
    }
  }
  return grown;
}

/** One detector finds one class: what is told apart by other facts is another offer. */
const mayJoin = ({ expression }: Candidate, { predicate }: Literal, join: Connective): boolean =>
  join === 'and' || expression.every(({ literal }) => literal.predicate.topic === predicate.topic);

/** To be narrowed by a conjunction: what catches most, honest work or not. */
const mostCaught = (level: readonly Candidate[]): Candidate[] =>
  level
    .filter(({ caught }) => caught > 0)
    .toSorted((a, b) => b.caught - b.falseAlarms - (a.caught - a.falseAlarms) || compare(a, b))
    .slice(0, BEAM);

/** To be widened by a disjunction: what alarms least on honest work. */
const fewestAlarms = (level: readonly Candidate[]): Candidate[] =>
  level
    .filter(({ caught }) => caught > 0)
    .toSorted((a, b) => a.falseAlarms - b.falseAlarms || b.caught - a.caught || compare(a, b))
    .slice(0, BEAM);

/** Of those that catch the same trajectories the one that reads shortest. */
function distinct(candidates: readonly Candidate[]): Candidate[] {
  const known = new Map<number, Candidate>();
  for (const one of candidates) {
    const key = fingerprint(one.hits);
    const other = known.get(key);
    if (other === undefined || compareLength(one, other) < 0) known.set(key, one);
  }
  return [...known.values()];
}

const bestOf = (candidates: readonly Candidate[], best: Candidate | null): Candidate | null =>
  candidates.reduce<Candidate | null>(
    (found, one) => (found === null || compare(one, found) < 0 ? one : found),
    best,
  );

const compare = (left: Candidate, right: Candidate): number =>
  right.score - left.score || compareLength(left, right);

const compareLength = (left: Candidate, right: Candidate): number =>
  left.expression.length - right.expression.length || compareText(textOf(left), textOf(right));
const textOf = ({ expression }: Candidate): string =>
  expression
    .map(
      ({ join, literal }) => `${join} ${literal.isNegated ? 'NOT ' : ''}${literal.predicate.sql}`,
    )
    .join(' ');
const compareText = (left: string, right: string): number =>
  left.length - right.length || (left < right ? -1 : left > right ? 1 : 0);

function measure({ cases, honest }: MiningTable, { caught, falseAlarms }: Candidate): MinedRates {
  const [casesCount, honestCount] = [sizeOf(cases), sizeOf(honest)];
  return {
    cases: casesCount,
    caught,
    honest: honestCount,
    falseAlarms,
    sensitivityLow: wilson(caught, casesCount, LEVEL, 1).low,
    falsePositivesHigh: wilson(falseAlarms, honestCount, LEVEL, 1).high,
  };
}

function isWorthOffering({ honest, sensitivityLow, falsePositivesHigh }: MinedRates): boolean {
  const excess = falsePositivesHigh - wilson(0, honest, LEVEL, 1).high;
  return sensitivityLow >= SENSITIVITY_MIN && excess <= EXCESS_MAX;
}
