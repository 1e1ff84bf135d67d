// The one table of why a job fails, what that makes of its step, and whether anybody tries again.

/** What a trainer may say of itself in result.json. */
export const REPORTED_FAILURES = [
  'user_cancelled',
  'oom',
  'stalled',
  'diverged',
  'config_invalid',
  'env_failure',
  'crash',
  'lost',
] as const;

/** And what is found out by those who start and watch trainers. */
export const FAILURE_KINDS = [...REPORTED_FAILURES, 'refused'] as const;
export type FailureKind = (typeof FAILURE_KINDS)[number];

interface FailureRule {
  /** What the failure means for a branch b1…bK: its own outcome, or a fault that parks the generation. */
  readonly branch: 'outcome' | 'park';
  /** Whether the executor may be asked for another claim of the same step key. */
  readonly retry: 'claim' | 'never';
}

/** Every kind of failure with its consequences; nobody else decides about retrying. */
export const FAILURES = {
  user_cancelled: { branch: 'park', retry: 'never' },
  oom: { branch: 'outcome', retry: 'never' },
  stalled: { branch: 'park', retry: 'claim' },
  diverged: { branch: 'outcome', retry: 'never' },
  config_invalid: { branch: 'outcome', retry: 'never' },
  env_failure: { branch: 'park', retry: 'claim' },
  crash: { branch: 'park', retry: 'never' },
  lost: { branch: 'park', retry: 'claim' },
  // Of the place, not of the recipe: it says nothing against an intervention.
  refused: { branch: 'park', retry: 'never' },
} as const satisfies Record<FailureKind, FailureRule>;
