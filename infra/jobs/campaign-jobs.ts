// The jobs of a campaign and their logs, read from the open root long after their machines are gone.
import type { Store } from '../../activities/ports/store.ts';
import { storeKeys } from '../../core/ids.ts';
import { campaignJobSchema } from '../../core/schemas/claim.ts';
import type { CampaignJob, Claim, ClaimEnd } from '../../core/schemas/claim.ts';
import { ClaimRecords } from './claim-records.ts';
import { LogRecords } from './log-records.ts';
import type { LogPiece } from './log-records.ts';

export type { LogPiece } from './log-records.ts';

export interface JobClaims {
  readonly job: CampaignJob;
  readonly finished: boolean;
  /** In order of number. */
  readonly claims: readonly (Claim & { readonly end: ClaimEnd | null })[];
}

export class CampaignJobs {
  readonly #store: Store;
  readonly #campaign: string;

  constructor(store: Store, campaign: string) {
    this.#store = store;
    this.#campaign = campaign;
  }

  /** In order of generation, then of step. */
  async list(): Promise<CampaignJob[]> {
    const keys = await this.#store.listManifests(storeKeys.campaignJobs(this.#campaign));
    return Promise.all(
      keys.map(async (key) => campaignJobSchema.parse(await this.#store.readManifest(key))),
    );
  }

  async claims(job: CampaignJob): Promise<JobClaims> {
    const records = new ClaimRecords(this.#store, job.key);
    const [step, claims] = await Promise.all([records.step(), records.all()]);
    const withEnds = claims.map(async (one) => ({ ...one, end: await records.endOf(one.claim) }));
    return { job, finished: step !== null, claims: await Promise.all(withEnds) };
  }

  /** Pieces of a claim's log with numbers above `after`. */
  log({ key, claim }: Pick<Claim, 'key' | 'claim'>, after: number): Promise<LogPiece[]> {
    return new LogRecords(this.#store, key, claim).since(after);
  }
}
