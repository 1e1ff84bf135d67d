// Ranks the truth against the reward (D8), and sweeps the weight of the change: from which weight on does a wrong
// trajectory beat a right one of its group?
import { meanInterval } from '../stats/intervals.ts';
import { percent } from '../stats/percent.ts';
import { at, clustered, taskMeansSql } from './archive-query.ts';
import {
  type Figures,
  PROOF_LEVEL,
  type ReplayReading,
  type RecipeChange,
  type ReplayKind,
} from './replay-kind.ts';
import { isRewardChanged, sweptTerm } from './recipe-change.ts';

/** Multiples of the proposed change; 0 is the recipe as it is, 1 the proposal. */
export const SWEEP = [0, 0.25, 0.5, 1, 2, 3, 4] as const;
/** Rises of the share of right-wrong pairs that stand in the wrong order, up to which the archive is let pass. */
const ORDER_MARGIN = 0.01;
/** Rewards are rounded to nine decimals; what is closer is equal. */
const EQUAL = 1e-9;

export const orderViolations: ReplayKind = {
  kind: 'order-violations',
  appliesTo: isRewardChanged,
  columns: () => ({}),
  query: violationsQuery,
  read: (figures, change) => ({
    figures,
    says: sayViolations(figures, change),
    rejected: rejectionOf(figures),
  }),
};

/** Pairs that stand wrong at a multiple of the change: all, or those of a right and a wrong one. */
const sweepColumn = (of: 'all' | 'right', multiple: number): string =>
  `${of}_at_${String(multiple).replace('.', '_')}`;

/**
 * Over pairs of one group on which the oracle differs: `gap` is what the better one is paid more now, `slope` what the
 * change adds to that, so the pair stands wrong at multiple x of the change where gap + x slope < 0, and the first
 * multiple at which it does is gap / -slope. A right one has the full score.
 */
function violationsQuery(): string {
  const pairs = `(
    SELECT a.task_id, a.o = 1 AS of_right, round(a.r0 - b.r0, 9) AS gap,
      round((a.r1 - b.r1) - (a.r0 - b.r0), 9) AS slope
    FROM scored a JOIN scored b ON a.g = b.g AND a.o > b.o
    WHERE a.b1 AND b.b1)`;
  const wrong = (multiple: number): string => `gap + (${multiple}) * slope < -${EQUAL}`;
  const sweep = SWEEP.flatMap((multiple) => [
    `count(*) FILTER (${wrong(multiple)}) AS ${sweepColumn('all', multiple)}`,
    `count(*) FILTER (of_right AND ${wrong(multiple)}) AS ${sweepColumn('right', multiple)}`,
  ]);
  const safe = `min(gap / -slope) FILTER (gap >= -${EQUAL} AND slope < -${EQUAL}`;
  const rise = `(${wrong(1)})::INTEGER - (${wrong(0)})::INTEGER`;
  const right = `(SELECT * FROM ${pairs} WHERE of_right)`;
  return `SELECT * FROM (
  SELECT count(*) AS all_pairs, count(*) FILTER (of_right) AS right_pairs,
    count(*) FILTER (of_right AND abs(gap) <= ${EQUAL}) AS right_tied0,
    count(*) FILTER (of_right AND abs(gap + slope) <= ${EQUAL}) AS right_tied1,
    ${safe}) AS all_safe, ${safe} AND of_right) AS right_safe, ${sweep.join(', ')} FROM ${pairs})
CROSS JOIN ${taskMeansSql('rise', rise, right)}`;
}

function sayViolations(figures: Figures, change: RecipeChange): string {
  const pairs = at(figures, 'all_pairs');
  if (pairs === 0) return 'no group of the archive holds labeled trajectories of different truth';
  const count = (of: 'all' | 'right', multiple: number): number =>
    at(figures, sweepColumn(of, multiple));
  const counts =
    `the better of a group is paid less in ${count('all', 0)} of ${pairs} pairs now, in ${count('all', 1)} then, ` +
    `a right one less than a wrong one in ${count('right', 0)} of ${at(figures, 'right_pairs')} now, in ${count('right', 1)} then`;
  const term = sweptTerm(change);
  if (term === null) return counts;
  const steps = SWEEP.slice(1).map((x) => `${x}x: ${count('all', x)}, ${count('right', x)}`);
  return `${counts}; ${limitOf(figures['right_safe'] ?? null, term)} (${steps.join('; ')})`;
}

function limitOf(safe: number | null, term: string): string {
  if (safe === null) return `no weight of ${term} puts a wrong one above a right one`;
  if (safe <= EQUAL) return `any weight of ${term} puts a wrong one above a right one`;
  return `${term} puts a wrong one above a right one beyond ${safe.toFixed(2)} of the proposed weight`;
}

function rejectionOf(figures: Figures): ReplayReading['rejected'] {
  const pairs = at(figures, 'right_pairs');
  const rise = meanInterval(clustered(figures, 'rise'), PROOF_LEVEL, 1);
  if (pairs === 0 || rise.mean <= ORDER_MARGIN || rise.low <= 0) return null;
  const share = (multiple: number): string =>
    percent(at(figures, sweepColumn('right', multiple)) / pairs);
  return `ranks a wrong trajectory above a right one in ${share(1)} of ${pairs} pairs, ${share(0)} now`;
}
