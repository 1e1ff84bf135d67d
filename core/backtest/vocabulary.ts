// What each kind of backtest can and cannot show, in the sentences that users read. Nothing else is ever said of it.
import type { Factor } from '../recipe/factors.ts';

export const BACKTEST_KINDS = [
  'reward-rescoring',
  'order-violations',
  'rule-harm',
  'filter-overlap',
  'orthogonality',
  'metric-retrodiction',
] as const;
export type BacktestKind = (typeof BACKTEST_KINDS)[number];

export const SCOPE_OF_KIND: Readonly<
  Record<BacktestKind, { readonly shows: string; readonly cannotShow: string }>
> = {
  'reward-rescoring': {
    shows:
      'Shows which groups of the archive would teach something under the changed reward, and whom it would pay best.',
    cannotShow:
      'Cannot show what the policy will do once it is paid that way, nor whether regained variance is signal or noise.',
  },
  'order-violations': {
    shows:
      'Shows at which weight the changed reward ranks a wrong trajectory above a right one of the same group.',
    cannotShow:
      'Cannot show wrong trajectories that the archived policy did not produce, nor that a right order is learned.',
  },
  'rule-harm': {
    shows: 'Shows which share of honest successes in the archive the rule would drop or punish.',
    cannotShow:
      'Cannot show honest behavior that the policy gives up because of the rule, before it succeeds.',
  },
  'filter-overlap': {
    shows: 'Shows what the filter drops beyond what is dropped already, and how much is left.',
    cannotShow:
      'Cannot show filters that follow a moving average or refill a batch; of those only the fixed part is replayed.',
  },
  orthogonality: {
    shows:
      'Shows whether a new component varies inside groups, and how it goes with the other components and with the truth there.',
    cannotShow:
      'Cannot show whether it stays so: what is paid for is sought, and a component that is free today may be gamed tomorrow.',
  },
  'metric-retrodiction': {
    shows:
      'Shows whether the metric was alarmed at stored branches that turned out bad, and quiet at those that turned out good.',
    cannotShow:
      'Cannot show a failure that has not happened yet; with few branches a metric can be right by chance.',
  },
};

/** Of a change that only takes rules away, so that no kind has anything to replay. */
export const NO_KIND_APPLIES = 'needs a branch: no kind of backtest has anything to say of it';

type Reach = 'replayed' | 'sampling' | 'tasks' | 'update' | 'history';

/** Why no archive can answer, in the words of what the factor changes. */
const NEEDS_BRANCH: Readonly<Record<Exclude<Reach, 'replayed'>, string>> = {
  sampling:
    'needs a branch: it changes what the policy plays, and the archive holds what it played',
  tasks: 'needs a branch: it changes which tasks are played, and the archive holds those that were',
  update: 'needs a branch: it changes how the policy learns from a batch, not what the batch holds',
  history:
    'needs a branch: the filter depends on the batches before, and the archive is no training',
};

const REACH: Readonly<Record<Factor, Reach>> = {
  reward: 'replayed',
  overlong: 'replayed',
  'trajectory-filter': 'replayed',
  'group-filter': 'replayed',
  truncation: 'replayed',
  'dual-level-filter': 'replayed',
  'std-group-filter': 'replayed',
  'dynamic-sampling': 'sampling',
  'snr-filter': 'history',
  curriculum: 'tasks',
  'train-set': 'tasks',
  'category-mix': 'tasks',
  batch: 'sampling',
  temperature: 'sampling',
  'token-limit': 'sampling',
  'turn-limit': 'sampling',
  guidance: 'sampling',
  'learning-rate': 'update',
  'weight-decay': 'update',
  'gradient-norm': 'update',
  minibatches: 'update',
  clipping: 'update',
  entropy: 'update',
  kl: 'update',
  advantage: 'update',
  'loss-aggregation': 'update',
  replay: 'update',
};

/** Null where archived trajectories answer for every factor that the patch touches. */
export function needsBranch(factors: readonly Factor[]): string | null {
  for (const factor of factors) {
    const reach = REACH[factor];
    if (reach !== 'replayed') return NEEDS_BRANCH[reach];
  }
  return null;
}
