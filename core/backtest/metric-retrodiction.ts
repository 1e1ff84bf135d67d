// Would a metric have told? Replays its alerts over stored branches that turned out bad and good.
import { fisherExact } from '../stats/fisher.ts';
import type { MetricValue } from '../schemas/harness.ts';
import type { PastGeneration } from '../schemas/ledger-entry.ts';
import type { ReplayReading } from './replay-kind.ts';

/** One stored branch under a metric. */
export interface MetricPoint {
  readonly branch: string;
  readonly value: number;
  /** Whether the metric was alarming there. */
  readonly isFlagged: boolean;
  readonly isBad: boolean;
}

type PastBranch = PastGeneration['branches'][number];

/**
 * Bad is what was pruned or withdrawn, good what was promoted or gained by an interval above zero; null = neither is
 * known, and the branch counts for nothing.
 */
export function isBadBranch({ decision, effect }: Pick<PastBranch, 'decision' | 'effect'>) {
  if (decision === 'prune' || decision === 'revert') return true;
  if (decision === 'promote' || (effect !== null && effect.low > 0)) return false;
  return null;
}

/** A branch's point; null where the metric could not be measured or nobody knows how the branch turned out. */
export function metricPoint(
  generation: number,
  branch: PastBranch,
  value: Pick<MetricValue, 'value' | 'severity'> | undefined,
): MetricPoint | null {
  const isBad = isBadBranch(branch);
  if (isBad === null || value === undefined || value.value === null) return null;
  return {
    branch: `generation ${generation} ${branch.branch}`,
    value: value.value,
    isFlagged: value.severity === 'warn' || value.severity === 'critical',
    isBad,
  };
}

/**
 * How well the alerts tell bad branches from good ones. `chance` is how often a metric that knows nothing flags at least
 * as many of the bad ones (Fisher's exact test, one-sided); `separation` the share of pairs in which a bad branch lies
 * beyond a good one, on the side where most do (0.5 = not at all).
 */
export function retrodict(metric: string, points: readonly MetricPoint[]): ReplayReading {
  const bad = points.filter(({ isBad }) => isBad);
  const good = points.filter(({ isBad }) => !isBad);
  const flagged = (list: readonly MetricPoint[]): number =>
    list.filter(({ isFlagged }) => isFlagged).length;
  const [caught, alarms] = [flagged(bad), flagged(good)];
  const isTold = bad.length > 0 && good.length > 0;
  const chance = isTold
    ? fisherExact({ hits: caught, of: bad.length, otherHits: alarms, otherOf: good.length })
    : null;
  const separation = isTold ? separationOf(bad, good) : null;
  const says = isTold
    ? `${metric} was alarmed at ${caught} of ${bad.length} stored branches that turned out bad and at ${alarms} of ${good.length} good ones (by chance ${(chance ?? 1).toFixed(2)})`
    : `${metric}: the archive holds ${bad.length} bad and ${good.length} good branches, which tells nothing`;
  const figures = { bad: bad.length, caught, good: good.length, alarms, chance, separation };
  return { figures, says, rejected: null };
}

function separationOf(bad: readonly MetricPoint[], good: readonly MetricPoint[]): number {
  const beyond = bad
    .flatMap((left) => good.map((right) => Math.sign(left.value - right.value)))
    .reduce((sum, sign) => sum + (sign + 1) / 2, 0);
  const above = beyond / (bad.length * good.length);
  return Math.max(above, 1 - above);
}
