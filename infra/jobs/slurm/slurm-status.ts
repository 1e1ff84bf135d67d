// What a state and a reason of Slurm's mean for a claim.
import type { ClaimStatus } from '../claim-status.ts';
import type { SlurmJob } from './slurm-jobs.ts';

/** Base states whose job has a place in the queue, and those in which its processes may run. Others are over. */
const WAITING = new Set(['PENDING', 'CONFIGURING', 'REQUEUED', 'REQUEUE_FED', 'REQUEUE_HOLD']);
const RUNNING = new Set(['RUNNING', 'RESIZING', 'SIGNALING', 'STAGE_OUT', 'STOPPED', 'SUSPENDED']);
const ENDING = 'COMPLETING';

/** The batch script's exit statuses that say what is wrong with the node. */
export const SCRIPT_EXIT = { noLaunch: 72, noExec: 126, noProgram: 127 } as const;

/** Reasons that no waiting changes, and the cure. Others pass: of priorities, nodes that are away, limits of many jobs. */
const NEVER: readonly (readonly [RegExp, string])[] = [
  [
    /^Partition(Config|TimeLimit)/,
    'lower `resources.hours` and what else it asks for to what the partition allows, or set another `partition`',
  ],
  [/^BadConstraints/, 'set `constraint`, `gpu_type` and `options` to what sinfo shows of a node'],
  [/^(InvalidAccount|AccountNotAllowed)/, 'set `account` to one that may use the partition'],
  [/^(InvalidQOS|QOSNotAllowed)/, 'set `qos` to one that the account and the partition allow'],
  [/^(QOS|Assoc)(Max\w+Per(Job|Node)|Min|MaxWall)/, 'ask for less, or set another `qos`'],
];

export const isUnfinished = ({ state }: SlurmJob): boolean =>
  WAITING.has(state) || RUNNING.has(state) || state === ENDING;

export const hasStarted = ({ state }: SlurmJob): boolean => !WAITING.has(state);

/** Of all jobs of one name: nobody but Slurm makes a second one, and the oldest that lives is the claim's. */
export function slurmStatus(jobs: readonly SlurmJob[]): ClaimStatus {
  const job = jobs.find(isUnfinished) ?? jobs.at(-1);
  if (job === undefined) return { state: 'gone', why: 'slurm knows no job of it (any more)' };
  const { id, state, reason, restarts } = job;
  if (state === ENDING) return { state: 'unknown', why: `slurm still ends job ${id}` };
  if (!isUnfinished(job)) return { state: 'gone', why: whyOver(job) };
  if (restarts > 0) {
    // Its wrapper does nothing: what was one try is not made two under one number.
    const why = `slurm put job ${id} back into its queue: it was preempted, or its node failed`;
    return { state: 'gone', why };
  }
  if (RUNNING.has(state)) return { state: 'running', heartbeat: null };
  const cure = NEVER.find(([pattern]) => pattern.test(reason))?.[1];
  if (cure === undefined) {
    return {
      state: 'queued',
      ahead: 0,
      ...(isReason(reason) ? { note: `slurm says ${reason}` } : {}),
    };
  }
  return { state: 'refused', why: `slurm never starts job ${id}, it says ${reason}: ${cure}` };
}

/** A job that was submitted a moment ago has none yet. */
const isReason = (reason: string): boolean => reason !== 'None' && reason !== '';

function whyOver({ id, state, reason, exitCode, nodes }: SlurmJob): string {
  const status = exitCode >> 8;
  if (status === SCRIPT_EXIT.noLaunch) {
    return `${nodes} did not find what job ${id} is told: set shared_folder to one that all nodes mount`;
  }
  if (status === SCRIPT_EXIT.noProgram || status === SCRIPT_EXIT.noExec) {
    return `${nodes} could not start the wrapper of job ${id}: see that folder and node are right there`;
  }
  const told = isReason(reason) ? ` (${reason})` : '';
  return `slurm says ${state}${told} of job ${id} on ${nodes === '' ? 'no node' : nodes}`;
}
