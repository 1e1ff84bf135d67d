// Makes a wrapper's orders from the submitted job and the chosen machine. They hold secrets, so they go only to its
// standard input.
import { readFile } from 'node:fs/promises';
import type { JobRequest } from '../../activities/ports/executor.ts';
import type { ClaimDecision } from '../../core/claims.ts';
import { usesGpu } from '../../core/uses-gpu.ts';
import { JobFolder } from './claim-folder.ts';
import type { LaunchSite } from './launcher.ts';
import { queueFor } from './slots.ts';
import type { Launch, StoreAddress } from './wrapper/launch.ts';

export interface LaunchParts {
  readonly request: JobRequest;
  readonly decision: Extract<ClaimDecision, { kind: 'claim' }>;
  readonly site: LaunchSite;
  readonly rootsId: string;
  /** True for another machine: it gets the gate secret itself, because the file is not there. */
  readonly remote: boolean;
  readonly stores: { readonly open: StoreAddress; readonly sealed: StoreAddress };
  readonly gateSecretFile: string;
  readonly limits: Launch['limits'];
}

export async function makeLaunch(parts: LaunchParts): Promise<Launch> {
  const { request, decision, site, rootsId, remote, stores, gateSecretFile, limits } = parts;
  const { key, campaign, step, job, inputs } = request;
  const { claim, resume } = decision;
  const { jobsRoot, slots, trainer, mirrorsLog, spotNotice = null } = site;
  const sealed = job.kind === 'evaluate';
  const file = sealed && !remote ? { EVO_GATE_SECRET_FILE: gateSecretFile } : {};
  return {
    version: 1,
    folder: new JobFolder(jobsRoot, key, rootsId).claim(claim).path,
    request: {
      version: 1,
      key,
      claim,
      campaign,
      step,
      sealed,
      inputs: { ...inputs },
      resume: [...resume],
    },
    job: { ...job },
    open: stores.open,
    sealed: sealed ? stores.sealed : null,
    gateSecret: sealed && remote ? await readFile(gateSecretFile, 'utf8') : null,
    slots: slots && queueFor(slots, usesGpu(job)),
    usesGpu: usesGpu(job),
    mirrorsLog,
    spotNotice,
    trainer: { ...trainer, variables: { ...trainer.variables, ...file } },
    limits,
  };
}
