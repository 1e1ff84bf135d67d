// The jobs of a campaign and their logs, read from the open root long after their machines are gone.
import type { Store } from '../../activities/ports/store.ts';
import { storeKeys } from '../../core/ids.ts';
import { campaignJobSchema } from '../../core/schemas/claim.ts';
import type { CampaignJob, Claim, ClaimEnd, ClaimMachine } from '../../core/schemas/claim.ts';
import { ClaimRecords } from './claim-records.ts';
import { LogRecords } from './log-records.ts';
import type { LogPiece } from './log-records.ts';

export type { LogPiece } from './log-records.ts';

export interface JobClaims {
  readonly job: CampaignJob;
  readonly finished: boolean;
  /** In order of number. */
  readonly claims: readonly (Claim & {
    readonly end: ClaimEnd | null;
    /** Null until it has started. */
    readonly machine: ClaimMachine | null;
    /** Null while it runs, and for ever if its machine died. */
    readonly seconds: number | null;
  })[];
  /** Of a finished training; null for other jobs. */
  readonly sampledTokens: number | null;
}

export interface JobMachine {
  readonly generation: number;
  readonly machine: ClaimMachine;
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
    const keys = await this.#store.listManifests(storeKeys.campaignJobs(this.#campaign, null));
    return Promise.all(
      keys.map(async (key) => campaignJobSchema.parse(await this.#store.readManifest(key))),
    );
  }

  async claims(job: CampaignJob): Promise<JobClaims> {
    const records = new ClaimRecords(this.#store, job.key);
    const [step, claims] = await Promise.all([records.step(), records.all()]);
    const whole = claims.map(async (one) => ({
      ...one,
      end: await records.endOf(one.claim),
      machine: await records.machineOf(one.claim),
      seconds: (await records.costOf(one.claim))?.seconds ?? null,
    }));
    const tokens = step?.summary['sampled_tokens'];
    return {
      job,
      finished: step !== null,
      claims: await Promise.all(whole),
      sampledTokens: typeof tokens === 'number' ? tokens : null,
    };
  }

  /** Of the newest claim of each job that has started; of one generation, or of all. */
  async machines(generation: number | null): Promise<JobMachine[]> {
    const prefix = storeKeys.campaignJobs(this.#campaign, generation);
    const keys = await this.#store.listManifests(prefix);
    const found = keys.map(async (key) => {
      const job = campaignJobSchema.parse(await this.#store.readManifest(key));
      const records = new ClaimRecords(this.#store, job.key);
      const machine = await records.machineOf(await records.newest());
      return machine === null ? [] : [{ generation: job.generation, machine }];
    });
    return (await Promise.all(found)).flat();
  }

  /** Pieces of a claim's log with numbers above `after`. */
  log({ key, claim }: Pick<Claim, 'key' | 'claim'>, after: number): Promise<LogPiece[]> {
    return new LogRecords(this.#store, key, claim).since(after);
  }
}
