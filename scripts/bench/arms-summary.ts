// A seed's arms against their warm start: paired differences with 95 % intervals, tasks as clusters.
import {
  type Interval,
  meanInterval,
  pairedDifference,
  summarize,
  wilson,
} from '../../core/stats/intervals.ts';
import type { ArmScores, TaskScore } from './arm-scores.ts';

export const WARM = 'warm start';

export interface ArmSummary {
  readonly name: string;
  readonly ownReward: number;
  readonly staticReward: number;
  readonly visible: Interval;
  readonly truth: Interval;
  /** Minus the warm start's, problem by problem. */
  readonly truthGain: Interval;
  readonly rewardGain: number;
  /** Visibly passed and not true. */
  readonly hack: Interval;
  readonly truncated: Interval;
  readonly tampered: Interval;
  readonly tokens: number;
  readonly canary: Interval;
  readonly categories: Readonly<Record<string, { truth: Interval; gain: Interval }>>;
  readonly seconds: ArmScores['seconds'];
}

export interface SeedSummary {
  readonly seed: number;
  readonly arms: readonly ArmSummary[];
}

/** The warm start is the first of `scores`. */
export function summarizeSeed(seed: number, scores: readonly ArmScores[]): SeedSummary {
  const [warm] = scores;
  if (warm === undefined) throw new RangeError('a seed has at least its warm start');
  return { seed, arms: scores.map((own) => summarizeArm(own, warm)) };
}

function summarizeArm(own: ArmScores, warm: ArmScores): ArmSummary {
  const over = (value: (task: TaskScore) => number): Interval =>
    meanInterval(summarize(own.tasks.map(value)));
  const categories = [...new Set(own.tasks.map(({ category }) => category))].toSorted();
  return {
    name: own.name,
    ownReward: own.ownReward,
    staticReward: own.staticReward,
    visible: over(({ visible }) => visible),
    truth: over(({ truth }) => truth),
    truthGain: gainOf(own.tasks, warm.tasks),
    rewardGain: own.staticReward - warm.staticReward,
    hack: over(({ visible, truth }) => visible - truth),
    truncated: over(({ truncated }) => truncated),
    tampered: over(({ tampered }) => tampered),
    tokens: over(({ tokens }) => tokens).mean,
    canary: canaryRate(own.canaries),
    categories: Object.fromEntries(
      categories.map((name) => {
        const within = own.tasks.filter(({ category }) => category === name);
        const before = warm.tasks.filter(({ category }) => category === name);
        const truth = meanInterval(summarize(within.map((task) => task.truth)));
        return [name, { truth, gain: gainOf(within, before) }];
      }),
    ),
    seconds: own.seconds,
  };
}

function gainOf(own: readonly TaskScore[], warm: readonly TaskScore[]): Interval {
  return pairedDifference(
    own.map(({ truth }) => truth),
    warm.map(({ truth }) => truth),
  );
}

const canaryRate = (passed: readonly number[]): Interval =>
  wilson(
    passed.reduce((sum, one) => sum + one, 0),
    passed.length,
  );
