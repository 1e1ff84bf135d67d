// Maps a state of AWS Batch to the state of a claim, with a readable reason and, if Batch names a fault, the cure.
import type { ClaimStatus } from '../claim-status.ts';
import type { BatchJob } from './batch-api.ts';

type Reasons = readonly (readonly [start: string, cure: string])[];

/** How Batch begins its reason for a job that stands at the head of its queue and can never start. */
const NEVER: Reasons = [
  [
    'MISCONFIGURATION:COMPUTE_ENVIRONMENT_MAX_RESOURCE',
    "raise the compute environment's maxvCpus, or ask for less in `resources`",
  ],
  [
    'MISCONFIGURATION:JOB_RESOURCE_REQUIREMENT',
    'add an instance type that has all of it to the compute environment, or ask for less in `resources`; a machine has less memory for jobs than its data sheet states, because the system uses some',
  ],
  [
    'MISCONFIGURATION:EC2_INSTANCE_CONFIGURATION_UNSUPPORTED',
    'choose instance types, image and subnets of the compute environment that work together',
  ],
];

/** The same for one that starts once somebody, or time, has cured what is wrong. */
const NOT_YET: Reasons = [
  [
    'MISCONFIGURATION:SERVICE_ROLE_PERMISSIONS',
    "it cannot start: give the compute environment's service role the rights of AWSBatchServiceRole",
  ],
  [
    'MISCONFIGURATION',
    'it cannot start: fix what Batch names here in the queue or compute environment',
  ],
  [
    'ACTION_REQUIRED',
    'it cannot start until you fix what Batch names here, e.g. machines that do not join the cluster: check subnets, security groups and the instance role',
  ],
  [
    'CAPACITY',
    'AWS has no free machine of this type; the job starts by itself when there is one, sooner with more instance types, zones or regions',
  ],
  ['UNDETERMINED', 'it may never start: check the queue in the AWS Batch console'],
];

/** How the reasons of a failed job begin, or what they hold, and what that means. */
const FAILED: readonly (readonly [pattern: RegExp, meaning: string])[] = [
  [/Host EC2/, 'its machine was terminated'],
  [/OutOfMemory/, 'its container ran out of memory: raise resources.memory_gb'],
  [/attempt duration exceeded timeout/i, 'it ran longer than resources.hours'],
  [
    /CannotPull|ImagePull/,
    'its image could not be pulled: check its name and the execution role of the job definition',
  ],
  [
    /ResourceInitializationError|secret/i,
    'its container could not be prepared: check execution role and secrets of the job definition',
  ],
  [
    /CannotStartContainer|CannotCreateContainer|Task failed to start/,
    'its container could not be started: check that the image contains EvoTrainer in `folder`, and Node',
  ],
  [/JobStateTimeLimit/, 'the queue removed it because it waited too long'],
];

export function batchStatus(job: BatchJob): ClaimStatus {
  switch (job.status) {
    case 'SUBMITTED':
    case 'PENDING':
      return { state: 'queued', ahead: 0 };
    case 'RUNNABLE':
      return runnable(job.statusReason ?? '');
    case 'STARTING':
      return { state: 'queued', ahead: 0, note: 'its machine is pulling the image' };
    case 'RUNNING':
      return { state: 'running', heartbeat: null };
    case 'SUCCEEDED':
      return { state: 'gone', why: 'its container has ended' };
    case 'FAILED':
      return { state: 'gone', why: whyFailed(job) };
    case undefined:
      return { state: 'unknown', why: 'AWS Batch returned no state' };
    default:
      return {
        state: 'unknown',
        why: `AWS Batch returned the unknown state ${String(job.status satisfies never)}`,
      };
  }
}

export const isOver = ({ status }: BatchJob): boolean =>
  status === 'SUCCEEDED' || status === 'FAILED';

function runnable(reason: string): ClaimStatus {
  if (reason === '') return { state: 'queued', ahead: 0 };
  const never = cureIn(NEVER, reason);
  if (never !== null) return { state: 'refused', why: `it can never start (${reason}): ${never}` };
  const cure = cureIn(NOT_YET, reason);
  return { state: 'queued', ahead: 0, note: cure === null ? reason : `${reason}: ${cure}` };
}

const cureIn = (reasons: Reasons, reason: string): string | null =>
  reasons.find(([start]) => reason.startsWith(start))?.[1] ?? null;

function whyFailed({ statusReason, container }: BatchJob): string {
  const exit =
    container?.exitCode === undefined ? '' : `its container exited with ${container.exitCode}`;
  const said = [statusReason, container?.reason].filter(Boolean).join('; ');
  const meaning = FAILED.find(([pattern]) => pattern.test(said))?.[1] ?? (exit || 'it failed');
  return said === '' ? meaning : `${meaning} (AWS Batch: ${said})`;
}
