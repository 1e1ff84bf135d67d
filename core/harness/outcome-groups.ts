// Right against wrong: by what a set is split, so that behavior can be read by outcome.
import type { Needs } from './definition.ts';
import type { MetricDefinition } from '../schemas/harness.ts';

/** The truest outcome that a set has: the oracle's label, else what was graded, else what was paid. */
export type OutcomeBasis = 'label' | 'hidden' | 'visible' | 'reward';

/** How many trajectories of a set have each outcome. */
export interface OutcomeCounts {
  readonly labeled: number;
  readonly hidden: number;
  readonly visible: number;
  /** Different rewards. */
  readonly rewards: number;
}

/** Null where nothing tells one trajectory from another. */
export function outcomeBasis(counts: OutcomeCounts): OutcomeBasis | null {
  if (counts.labeled > 0) return 'label';
  if (counts.hidden > 0) return 'hidden';
  if (counts.visible > 0) return 'visible';
  return counts.rewards > 1 ? 'reward' : null;
}

export const OUTCOME_MEANINGS: Readonly<Record<OutcomeBasis, string>> = {
  label: 'right by the oracle',
  hidden: 'right by the training-hidden verifier',
  visible: 'right by the visible verifier',
  reward: 'paid more than the mean reward',
};

const LABELED = 'trajectory_id IN (SELECT trajectory_id FROM labels WHERE oracle_score';

/** The condition of each group over `t`; a row without that outcome is in neither. */
export const OUTCOME_CONDITIONS = {
  label: { right: `${LABELED} = 1)`, wrong: `${LABELED} < 1)` },
  hidden: { right: 'hidden.score = 1', wrong: 'hidden.score < 1' },
  visible: { right: 'visible.score = 1', wrong: 'visible.score < 1' },
  reward: {
    right: 'reward > (SELECT avg(reward) FROM t)',
    wrong: 'reward <= (SELECT avg(reward) FROM t)',
  },
} as const satisfies Record<OutcomeBasis, { right: string; wrong: string }>;

/**
 * Whether a metric means something within one outcome: behavior and signal of single trajectories. A metric over groups
 * does not, since a group holds both outcomes.
 */
export const isSplitByOutcome = ({ head }: MetricDefinition, needs: Needs | undefined): boolean =>
  (head.layer === 'behavior' || head.layer === 'signal') &&
  needs !== undefined &&
  needs.tables.includes('t') &&
  needs.tables.every((table) => table !== 't_prev' && table !== 'optimizer_metrics') &&
  !needs.columns.includes('group_id');
