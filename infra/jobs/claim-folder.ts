// The folder of one claim: the job directory of the trainer, and what wrapper and executor tell each other.
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { artifactRefSchema, sha256Schema } from '../../core/schemas/artifact.ts';
import { tryLock } from '../lock/file-lock.ts';
import { systemCode } from '../store/disk-error.ts';

/** What the wrapper is to do: executor → wrapper. Holds no secret, and stays in the folder to be read. */
export const claimRequestSchema = z.strictObject({
  version: z.literal(1),
  key: sha256Schema,
  claim: z.int().min(1),
  campaign: z.string(),
  step: z.string(),
  sealed: z.boolean().describe('an evaluate job: its log is nobody’s business'),
  inputs: z.record(z.string(), z.strictObject({ ref: artifactRefSchema, tree: z.boolean() })),
  resume: z.array(z.strictObject({ claim: z.int(), step: z.int() })),
});
export type ClaimRequest = z.infer<typeof claimRequestSchema>;

/** Wrapper → executor. Its existence says that the wrapper holds the lock and stands in the queue. */
export const claimStateSchema = z.strictObject({
  phase: z.enum(['queued', 'starting', 'running', 'ending']),
  ahead: z.int().min(0),
});
export type ClaimState = z.infer<typeof claimStateSchema>;

/** Executor → wrapper. */
export const cancelSchema = z.strictObject({ mode: z.enum(['checkpoint', 'terminate']) });

/** A process that may have to be killed by somebody who did not start it. */
export const processSchema = z.strictObject({ pid: z.int(), identity: z.string() });

export interface ClaimFolder {
  readonly path: string;
  readonly lock: string;
  readonly job: string;
  readonly request: string;
  readonly state: string;
  readonly cancel: string;
  readonly wrapper: string;
  readonly trainer: string;
  readonly wrapperLog: string;
  readonly trainerLog: string;
  readonly heartbeat: string;
  readonly result: string;
}

export function claimFolder(path: string): ClaimFolder {
  return {
    path,
    lock: join(path, 'claim.lock'),
    job: join(path, 'job.json'),
    request: join(path, 'request.json'),
    state: join(path, 'state.json'),
    cancel: join(path, 'cancel.json'),
    wrapper: join(path, 'wrapper.json'),
    trainer: join(path, 'trainer.json'),
    wrapperLog: join(path, 'wrapper.log'),
    trainerLog: join(path, 'trainer.log'),
    heartbeat: join(path, 'heartbeat.json'),
    result: join(path, 'result.json'),
  };
}

export function folderOfClaim(jobsRoot: string, key: string, claim: number): ClaimFolder {
  return claimFolder(join(jobsRoot, key, String(claim)));
}

/** The highest claim of a key that this machine has a folder of; 0 where it has none. */
export async function newestFolder(jobsRoot: string, key: string): Promise<number> {
  try {
    const names = await readdir(join(jobsRoot, key));
    return Math.max(0, ...names.filter((name) => /^\d+$/.test(name)).map(Number));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return 0;
    throw error;
  }
}

/** Whether a process holds the lock at `path`. May say yes for a moment while somebody else asks the same. */
export function isHeld(path: string): boolean {
  if (!existsSync(path)) return false;
  const lock = tryLock(path);
  lock?.release();
  return lock === null;
}
