import type { BRANCH_OUTCOMES } from '../schemas/ledger-entry.ts';
import type { Interval } from '../stats/intervals.ts';

export type Outcome = (typeof BRANCH_OUTCOMES)[number];

/**
 * A branch's outcome from its paired difference from b0 on SELECT: improvement or regression where the 95 % interval
 * excludes 0, mixed where the whole or a category gains and another surely loses, else insufficient evidence.
 */
export function judgeOutcome(
  effect: Interval | null,
  categories: Readonly<Record<string, Interval>>,
): Outcome {
  if (effect === null) return 'insufficient-evidence';
  const all = [effect, ...Object.values(categories)];
  const gains = all.some(({ low }) => low > 0);
  const loses = all.some(({ high }) => high < 0);
  if (gains && loses) return 'mixed';
  if (effect.low > 0) return 'improvement';
  return effect.high < 0 ? 'regression' : 'insufficient-evidence';
}
