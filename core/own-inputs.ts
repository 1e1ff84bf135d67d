// What jobs of a user's own environment need in addition: its code, and the problems of the splits that they play.
import type { JobPlan } from './job-plan.ts';
import type { CampaignConfig } from './schemas/campaign-config.ts';
import type { OwnSplit } from './schemas/staged.ts';

/** None for our own domains. A training job holds no problem of SELECT, PROMOTION or FINAL. */
export function ownInputs(
  { code, staged }: Pick<CampaignConfig, 'code' | 'staged'>,
  splits: readonly OwnSplit[],
): JobPlan['inputs'] {
  if (code === undefined || staged === undefined) return {};
  return {
    environment: { ref: code, tree: true },
    ...Object.fromEntries(
      splits.map((split) => [`tasks/${split}.parquet`, { ref: staged.tasks[split], tree: false }]),
    ),
  };
}
