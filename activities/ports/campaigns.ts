import type { CampaignScope } from '../../core/generation.ts';

/**
 * What the Temporal server tells of its campaigns.
 *
 * **Contract:** `scopes` has every campaign that the server remembers, open or closed, with the places its newest run was
 * given. `openWorkflowIds` are those of campaigns, generations and branches; one that began or ended some seconds ago may be
 * told wrongly.
 */
export interface Campaigns {
  scopes(): Promise<CampaignScope[]>;
  openWorkflowIds(): Promise<ReadonlySet<string>>;
}
