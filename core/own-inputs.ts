// What jobs of a user's own environment need in addition: its code, and the problems of the splits that they play.
import type { JobPlan } from './job-plan.ts';
import type { CampaignConfig } from './schemas/campaign-config.ts';
import type { OwnSplit } from './schemas/staged.ts';

/** None for our own domains. A training job holds no problem of SELECT, PROMOTION or FINAL. */
export function ownInputs(
  { code, staged, policy }: Pick<CampaignConfig, 'code' | 'staged' | 'policy'>,
  splits: readonly OwnSplit[],
): JobPlan['inputs'] {
  if (code === undefined || staged === undefined) return {};
  const base = 'init' in policy && policy.lora !== null ? policy.pinned : null;
  return {
    environment: { ref: code, tree: true },
    // Policies are adapters over it.
    ...(base === null ? {} : { base: { ref: base, tree: true } }),
    ...Object.fromEntries(
      splits.map((split) => [`tasks/${split}.parquet`, { ref: staged.tasks[split], tree: false }]),
    ),
  };
}
