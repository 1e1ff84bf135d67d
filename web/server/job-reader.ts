// The jobs of a campaign with their claims. What is over does not change, so it is read once.
import { isFinal } from '../../core/claims.ts';
import { mapLimited } from '../../core/map-limited.ts';
import type { CampaignJobs, JobClaims } from '../../workers/compose-jobs.ts';

const READS_AT_ONCE = 16;

export class JobReader {
  readonly #jobs: CampaignJobs;
  /** By step key. */
  readonly #over = new Map<string, JobClaims>();

  constructor(jobs: CampaignJobs) {
    this.#jobs = jobs;
  }

  /** In order of generation, then of step. Throws StoreError. */
  async read(): Promise<JobClaims[]> {
    const all = await this.#jobs.list();
    return mapLimited(all, READS_AT_ONCE, async (job) => {
      const known = this.#over.get(job.key);
      if (known) return { ...known, job };
      const found = await this.#jobs.claims(job);
      if (isOver(found)) this.#over.set(job.key, found);
      return found;
    });
  }
}

/** Its last claim has told its end, so nothing of it will change. */
function isOver({ finished, claims }: JobClaims): boolean {
  const last = claims.at(-1);
  if (last === undefined || last.clock.ended === null) return false;
  return finished || (last.end !== null && isFinal(last.end));
}
