// The memo of a campaign's workflow: its config digest, the addresses of its archive, when it started, and with which
// problems.
import { z } from 'zod';
import { stagedText } from '../core/campaign.ts';
import type { CampaignConfig } from '../core/schemas/campaign-config.ts';

const campaignMemoSchema = z.object({
  configDigest: z.string(),
  store: z.string().nullable(),
  sealedStore: z.string().nullable(),
  startedAt: z.iso.datetime(),
  staged: z.string().nullable().default(null),
});
export type CampaignMemo = z.infer<typeof campaignMemoSchema>;

/** Null for a workflow that has no such memo. */
export function memoOf({ memo }: { readonly memo?: unknown }): CampaignMemo | null {
  const parsed = campaignMemoSchema.safeParse(memo);
  return parsed.success ? parsed.data : null;
}

/** Whether the campaign started with other problems than the file has now. */
export const hasOtherProblems = (
  memo: Pick<CampaignMemo, 'staged'> | null,
  config: Pick<CampaignConfig, 'staged'>,
): boolean => (memo?.staged ?? null) !== null && memo?.staged !== stagedText(config);
