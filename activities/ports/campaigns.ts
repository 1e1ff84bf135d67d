import type { CampaignScope } from '../../core/generation.ts';

/**
 * The campaigns of the Temporal server.
 *
 * **Contract:** `scopes` lists every campaign that the server remembers, running or closed, with the store roots and
 * the executor of its newest run. `openWorkflowIds` lists running campaigns, generations and branches; it may be some
 * seconds old.
 */
export interface Campaigns {
  scopes(): Promise<CampaignScope[]>;
  openWorkflowIds(): Promise<ReadonlySet<string>>;
}
