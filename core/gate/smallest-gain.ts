// The smallest gain that a test of the gate sees, for the people who plan a campaign.
import type { CampaignConfig } from '../schemas/campaign-config.ts';
import type { SealedResult } from '../schemas/trajectory.ts';
import { normalQuantile, normalShare } from '../stats/quantiles.ts';
import type { TaskRows } from './rows.ts';
import { alphasOf } from './spending.ts';

export interface SmallestGain {
  /** The tests of a family that have this α: the planned ones, or one after them. */
  readonly tests: string;
  readonly alpha: number;
  /** True gain that is promoted in four of five tests. */
  readonly gain: number;
}

/** Variance of one sample on a problem, averaged over problems with solve rates Beta(1.6, 2.4): the most that is usual. */
const USUAL_WITHIN = 0.192;
/** Spread of a problem's own gain around the mean gain. */
const OWN_SHIFT = 0.08;
/** What the e-process needs beyond a z-test on all problems, measured at 400 and 1,200 problems (docs/results/gate.md). */
const BEYOND_Z = 1.1;
const POWER = 0.8;

type Sizes = Pick<CampaignConfig, 'generations' | 'gate' | 'evaluation'>;

/** What a mean difference over all problems of a test scatters by, in the e-process's own measure. */
function scatterOf({ promotion_tasks, promotion_samples }: Sizes['evaluation'], within: number) {
  const spread = Math.sqrt((2 * within) / promotion_samples + OWN_SHIFT ** 2);
  return (BEYOND_Z * spread) / Math.sqrt(promotion_tasks);
}

/** The same for each planned test, then for the next three, if no other campaign of the family reserves one. */
export function smallestGains(
  { generations: planned, gate, evaluation }: Sizes,
  within = USUAL_WITHIN,
): SmallestGain[] {
  const scatter = scatterOf(evaluation, within);
  const alphas = alphasOf({ alpha: gate.alpha, planned }, planned + 3);
  return [planned, planned + 1, planned + 2, planned + 3].map((test) => {
    const alpha = alphas[test - 1] ?? 0;
    const errors = normalQuantile(1 - alpha) + normalQuantile(POWER);
    const tests = test === planned && planned > 1 ? `1 to ${planned}` : String(test);
    return { tests, alpha, gain: gate.delta0 + errors * scatter };
  });
}

/** The chance that a planned test promotes a challenger with this true gain. */
export function chanceToPromote(gain: number, { generations, gate, evaluation }: Sizes): number {
  const [alpha = 0] = alphasOf({ alpha: gate.alpha, planned: generations }, 1);
  const scatter = scatterOf(evaluation, USUAL_WITHIN);
  return normalShare((gain - gate.delta0) / scatter - normalQuantile(1 - alpha));
}

/** The variance of one sample on a problem, averaged over the problems of a set; null with one sample a problem. */
export function varianceWithin(tasks: TaskRows): number | null {
  const variances = [...tasks.values()].flatMap((rows: readonly SealedResult[]) => {
    if (rows.length < 2) return [];
    const mean = rows.reduce((sum, row) => sum + row.true_score, 0) / rows.length;
    const squares = rows.reduce((sum, row) => sum + (row.true_score - mean) ** 2, 0);
    return [squares / (rows.length - 1)];
  });
  return variances.length === 0
    ? null
    : variances.reduce((sum, one) => sum + one, 0) / variances.length;
}
