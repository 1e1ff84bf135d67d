import type { Catalog } from '../../core/harness/definition.ts';
import type { CampaignScope } from '../../core/generation.ts';
import type { Analytics } from './analytics.ts';
import type { Executor } from './executor.ts';
import type { Researcher } from './researcher.ts';
import type { Stores } from './store.ts';

/** What the activities of one campaign work with. Built once a scope by the composition root. */
export interface CampaignPorts {
  readonly stores: Stores;
  readonly executor: Executor;
  /** Has no handle on the sealed root. */
  readonly analytics: Analytics;
  /** Reads both roots; for screen and promote alone. */
  readonly sealedAnalytics: Analytics;
  readonly researcher: Researcher;
  readonly gateSecret: GateSecret;
  readonly catalog: Catalog;
  /** Digest of the trainer this worker would run (sources and lock file). */
  readonly trainerDigest: () => Promise<string>;
  readonly hostName: string;
}

/**
 * The gate secret of a campaign.
 *
 * **Contract:** `commit` makes the secret at its first call (256 random bits, in a file only the evaluator reads) and
 * returns the same commitment ever after: a digest that tells nothing of the secret. No caller ever sees the secret.
 */
export interface GateSecret {
  commit(): Promise<string>;
}

export type PortsOf = (scope: CampaignScope) => CampaignPorts;
