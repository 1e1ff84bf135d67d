// Intervals for shares, means and differences. Samples of one task are one cluster, never independent evidence.
import { normalQuantile, studentQuantile } from './quantiles.ts';

/** An estimate with its bounds over n independent units (tasks, where samples are clustered). */
export interface Interval {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  readonly n: number;
}

/** Mean and standard deviation of n task means, with `samples` samples per task. */
export interface ClusteredMean {
  readonly mean: number;
  readonly sd: number;
  readonly n: number;
  readonly samples: number;
}

/** One-sided confidence of every guard of the gate (docs/gate.md). */
export const GUARD_LEVEL = 0.95;

const zOf = (level: number, sides: 1 | 2): number =>
  normalQuantile(sides === 1 ? level : (1 + level) / 2);

/**
 * Wilson score interval of a share. `successes` may be fractional (a mean of task means times n). With `sides` 1, each
 * bound holds by itself at `level`. n = 0 gives 0…1. Source: Wilson (1927).
 */
export function wilson(
  successes: number,
  n: number,
  level = GUARD_LEVEL,
  sides: 1 | 2 = 2,
): Interval {
  if (n === 0) return { mean: 0, low: 0, high: 1, n };
  const share = successes / n;
  const z2 = zOf(level, sides) ** 2;
  const center = (share + z2 / (2 * n)) / (1 + z2 / n);
  const spread = Math.sqrt((share * (1 - share)) / n + z2 / (4 * n * n));
  const half = (spread * Math.sqrt(z2)) / (1 + z2 / n);
  // Rounding must not raise the bound of "no event" above zero, or move an estimate out of its interval.
  return {
    mean: share,
    low: share <= 0 ? 0 : Math.min(share, Math.max(0, center - half)),
    high: share >= 1 ? 1 : Math.max(share, Math.min(1, center + half)),
    n,
  };
}

/** Mean, sample standard deviation (0 for fewer than two) and count of task means. */
export function summarize(taskMeans: readonly number[], samples = 1): ClusteredMean {
  const n = taskMeans.length;
  if (n === 0) return { mean: 0, sd: 0, n, samples };
  const mean = taskMeans.reduce((sum, value) => sum + value, 0) / n;
  const squares = taskMeans.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, sd: n < 2 ? 0 : Math.sqrt(squares / (n - 1)), n, samples };
}

/** The summary of all tasks of several sets together. */
export function pool(sets: readonly ClusteredMean[]): ClusteredMean {
  const n = sets.reduce((sum, set) => sum + set.n, 0);
  const samples = sets[0]?.samples ?? 1;
  if (n === 0) return { mean: 0, sd: 0, n, samples };
  const mean = sets.reduce((sum, set) => sum + set.n * set.mean, 0) / n;
  const squares = sets.reduce(
    (sum, set) => sum + Math.max(0, set.n - 1) * set.sd ** 2 + set.n * (set.mean - mean) ** 2,
    0,
  );
  return { mean, sd: n < 2 ? 0 : Math.sqrt(squares / (n - 1)), n, samples };
}

/** mean ± z·sd/√n over tasks, Student's t below 30 tasks; fewer than two tasks give ±∞. */
export function meanInterval(set: ClusteredMean, level = GUARD_LEVEL, sides: 1 | 2 = 2): Interval {
  if (set.n < 2) return { mean: set.mean, low: -Infinity, high: Infinity, n: set.n };
  const p = sides === 1 ? level : (1 + level) / 2;
  const critical = set.n < 30 ? studentQuantile(p, set.n - 1) : normalQuantile(p);
  const half = (critical * set.sd) / Math.sqrt(set.n);
  return { mean: set.mean, low: set.mean - half, high: set.mean + half, n: set.n };
}

/**
 * Wilson interval of a share whose samples are clustered by task. n is Kish's effective number of samples,
 * p(1−p)·tasks/sd², at least the number of tasks and at most the number of samples. Without a single event, n is the
 * number of tasks.
 */
export function clusteredShare(
  set: ClusteredMean,
  level = GUARD_LEVEL,
  sides: 1 | 2 = 2,
): Interval {
  const bernoulli = set.mean * (1 - set.mean);
  const most = set.n * set.samples;
  const effective = set.sd > 0 ? (bernoulli * set.n) / set.sd ** 2 : bernoulli > 0 ? most : set.n;
  const n = Math.min(most, Math.max(set.n, effective));
  return { ...wilson(set.mean * n, n, level, sides), n: set.n };
}

/** Interval of the mean of paired differences left − right, one pair per task. The arrays must have equal lengths. */
export function pairedDifference(
  left: readonly number[],
  right: readonly number[],
  level = GUARD_LEVEL,
  sides: 1 | 2 = 2,
): Interval {
  if (left.length !== right.length) {
    throw new RangeError(
      `paired values must have equal lengths, not ${left.length} and ${right.length}`,
    );
  }
  const differences = left.map((value, index) => value - (right[index] ?? Number.NaN));
  return meanInterval(summarize(differences), level, sides);
}

/** Interval of the difference left − right of two independent clustered means, whose squared standard errors add up. */
export function meanDifference(
  left: ClusteredMean,
  right: ClusteredMean,
  level = GUARD_LEVEL,
  sides: 1 | 2 = 2,
): Interval {
  const mean = left.mean - right.mean;
  const n = Math.min(left.n, right.n);
  if (n < 2) return { mean, low: -Infinity, high: Infinity, n };
  const half = zOf(level, sides) * Math.sqrt(left.sd ** 2 / left.n + right.sd ** 2 / right.n);
  return { mean, low: mean - half, high: mean + half, n };
}

/**
 * Interval of the difference left − right of two independent shares from their own Wilson intervals (MOVER).
 * Both intervals must have the same level and sides. Source: Newcombe (1998), method 10; Zou and Donner (2008).
 */
export function shareDifference(left: Interval, right: Interval): Interval {
  const mean = left.mean - right.mean;
  return {
    mean,
    low: mean - Math.hypot(left.mean - left.low, right.high - right.mean),
    high: mean + Math.hypot(left.high - left.mean, right.mean - right.low),
    n: Math.min(left.n, right.n),
  };
}
