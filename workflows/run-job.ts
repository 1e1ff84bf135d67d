// A job as a workflow sees it: submit, await, and terminate when cancelled; again while claims are lost or paused.
import {
  ApplicationFailure,
  CancellationScope,
  condition,
  isCancellation,
} from '@temporalio/workflow';
import type { CampaignScope } from '../core/generation.ts';
import type { FailureKind } from '../core/failure.ts';
import type { JobPlan } from '../core/plan.ts';
import type { ArtifactRef } from '../core/schemas/artifact.ts';
import { awaitingJob, quickly } from './proxies.ts';

export interface JobContext {
  readonly scope: CampaignScope;
  readonly trainerDigest: string;
  readonly gateSecretId: string;
  readonly harness: ArtifactRef;
  readonly heartbeatTimeoutS: number;
  readonly control: {
    /** Resolves when new work may start. */
    ready(): Promise<void>;
    pausedBy(): 'drain' | 'checkpoint' | null;
  };
}

export interface FinishedJob {
  readonly status: 'ok';
  readonly outputs: Readonly<Record<string, ArtifactRef>>;
  readonly summary: Readonly<Record<string, unknown>>;
  /** The recipe it ran under, as an object of the open root; null for jobs without one. */
  readonly recipe: ArtifactRef | null;
}

export interface FailedJob {
  readonly status: FailureKind;
  readonly message: string;
}

/** Runs a job to its end, whatever happens to workers, wrappers and claims on the way. */
export async function runJob(context: JobContext, plan: JobPlan): Promise<FinishedJob | FailedJob> {
  const { scope, trainerDigest, gateSecretId, harness } = context;
  for (;;) {
    await context.control.ready();
    const { submitJob } = quickly(`${plan.step}.submit`, plan.summary);
    const { key, recipe } = await submitJob({ scope, trainerDigest, gateSecretId, harness, plan });
    const outcome = await awaitClaim(context, plan, key);
    if (outcome === null) continue;
    if (outcome.status !== 'ok') return outcome;
    return {
      status: 'ok',
      outputs: outcome.manifest.outputs,
      summary: outcome.manifest.summary,
      recipe,
    };
  }
}

/** Like runJob, for steps without which the generation cannot go on. */
export async function requireJob(context: JobContext, plan: JobPlan): Promise<FinishedJob> {
  const done = await runJob(context, plan);
  if (done.status === 'ok') return done;
  throw ApplicationFailure.nonRetryable(
    `${plan.step}: ${done.message} (${done.status})`,
    'JobFailed',
    {
      step: plan.step,
    },
  );
}

async function awaitClaim(context: JobContext, plan: JobPlan, key: string) {
  const { scope, control } = context;
  // Each mode has an id of its own: a job may be ended while its checkpoint is still asked for.
  const stop = async (mode: 'checkpoint' | 'terminate') =>
    quickly(`${plan.step}.${mode}`).terminateJob({ scope, key, mode });
  const over = { yet: false };
  const pausing = condition(() => over.yet || control.pausedBy() === 'checkpoint')
    .then(async () => (over.yet ? undefined : stop('checkpoint')))
    .catch((error: unknown) => {
      if (!isCancellation(error)) throw error;
    });
  try {
    const activities = awaitingJob(plan.step, plan.summary, context.heartbeatTimeoutS);
    return await activities[plan.kind]({ scope, key });
  } catch (error) {
    // Cancelled, or nobody can say what the job does: it must not go on holding a machine.
    await CancellationScope.nonCancellable(() => stop('terminate'));
    throw error;
  } finally {
    over.yet = true;
    await pausing;
  }
}
