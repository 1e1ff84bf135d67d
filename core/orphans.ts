// Which living claims nobody waits for: their workflow is over, or a later claim took over.
import { workflowIds } from './ids.ts';

/** What is known of a claim that lives. */
export interface Living {
  readonly campaign: string;
  /** Who asked: the id of a generation's workflow, and more after a space. */
  readonly attempt: string;
  readonly isNewest: boolean;
}

/**
 * Why nobody waits for a claim; null where somebody does, or may.
 *
 * `open` holds the ids of all open workflows. Every attempt of a generation may wait for a claim of another one, and
 * so may its branches; the jobs of generation 0 are the campaign's own.
 */
export function whyOrphan(job: Living, open: ReadonlySet<string>): string | null {
  if (!job.isNewest) return 'a later claim took over';
  const [owner = ''] = job.attempt.split(' ');
  const campaign = workflowIds.campaign(job.campaign);
  const [, generation] = /^\/(g\d+)\/a\d+$/.exec(owner.slice(campaign.length)) ?? [];
  if (!owner.startsWith(`${campaign}/`) || generation === undefined) return null;
  const waits =
    Number(generation.slice(1)) === 0
      ? open.has(campaign)
      : [...open].some((id) => id.startsWith(`${campaign}/${generation}/`));
  return waits ? null : `no open workflow of ${generation} waits for it`;
}
