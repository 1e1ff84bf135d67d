import type { FailureKind } from '../../core/failure.ts';
import type { ArtifactRef, StepManifest } from '../../core/schemas/artifact.ts';
import type { JobHeartbeat } from '../../core/schemas/heartbeat.ts';
import type { Job } from '../../core/schemas/job.ts';

export interface JobInput {
  readonly ref: ArtifactRef;
  readonly tree: boolean;
}

/** A job as a step asks for it. `inputs` maps a path below the job's `inputs/` to an object, or to a tree that becomes a directory. */
export interface JobRequest {
  readonly key: string;
  readonly campaign: string;
  readonly step: string;
  /** What people read of it, as in the UI. */
  readonly summary: string;
  /**
   * Who asks, e.g. the id of the generation workflow, which holds its attempt, and the run. Claims count only among those
   * of the same `attempt`: a retry by a human brings another one, hence five new claims and no answer from an old failure. A resume
   * after a pause brings the same one.
   */
  readonly attempt: string;
  readonly job: Job;
  readonly inputs: Readonly<Record<string, JobInput>>;
}

export type JobObservation =
  /** `ahead`: how many jobs must end before this one starts; 0 while it is being started. `note`: what it waits for, and the cure. */
  | {
      readonly state: 'queued';
      readonly claim: number;
      readonly ahead: number;
      readonly note?: string;
    }
  | { readonly state: 'running'; readonly claim: number; readonly heartbeat: JobHeartbeat | null }
  /** The claim ended without a result, or its host or lock is gone: submit again (unless `paused`). */
  | {
      readonly state: 'lost';
      readonly claim: number;
      readonly paused: boolean;
      readonly why: string;
    }
  | { readonly state: 'done'; readonly outcome: JobOutcome };

export type JobOutcome =
  | { readonly status: 'ok'; readonly manifest: StepManifest }
  | { readonly status: FailureKind; readonly message: string };

/** A claim that runs or stands in a queue. */
export interface LiveClaim {
  readonly key: string;
  readonly claim: number;
  readonly host: string;
  readonly campaign: string;
  readonly step: string;
  readonly attempt: string;
  /** No later claim of its job was made. */
  readonly isNewest: boolean;
}

/**
 * Runs jobs somewhere.
 *
 * **Contract:** `submit` is idempotent by key: a finished step is reported done, a live claim is adopted, and only then
 * is claim n+1 created (create-only), starting from the newest whole checkpoint of the claims before it. A claim of the
 * same attempt that ended with a failure nobody retries is the answer; five claims of it in a row without a new
 * checkpoint make `submit` answer `lost` for good; claims ended by pause do not count. `cancel` leaves
 * no process running; with `checkpoint` the job first writes one and the claim ends as paused. Only the highest claim
 * writes the step's manifest. Survives the death of whoever called it.
 */
export interface Executor {
  submit(request: JobRequest): Promise<JobObservation>;
  observe(key: string): Promise<JobObservation>;
  cancel(key: string, mode: 'checkpoint' | 'terminate'): Promise<void>;
  /** The last lines of the newest claim's log, some seconds old while it runs. Sealed jobs answer with an empty list. */
  logs(key: string, linesMax: number): Promise<string[]>;
  /** Claims of this executor's stores that live, whoever asked for them. Places that do not answer add none. */
  list(): Promise<LiveClaim[]>;
  /** Ends one claim of the list and no other of its job. */
  end(claim: LiveClaim): Promise<void>;
}
