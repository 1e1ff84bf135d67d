import { ApplicationFailure } from '@temporalio/workflow';
import { FAILURES } from '../core/failure.ts';
import type { BranchInput, BranchOutcome } from '../core/generation.ts';
import { CONTROL } from '../core/ids.ts';
import { output, planTrain } from '../core/plan.ts';
import { listenToParent } from './listen-to-parent.ts';
import { runJob } from './run-job.ts';

/** Trains one branch from the incumbent's checkpoint for the generation's budget; it ends with its own DIAG rollouts. */
export async function branchWorkflow(input: BranchInput): Promise<BranchOutcome> {
  const control = listenToParent({ pause: input.pause, injected: [], messages: [] });
  const trained = await runJob(
    {
      scope: input.scope,
      trainerDigest: input.epoch.trainerDigest,
      gateSecretId: input.epoch.gateSecretId,
      harness: input.harness,
      heartbeatTimeoutS: input.config.temporal.heartbeat_timeout_s,
      control,
    },
    planTrain(input),
  );
  const { branch } = input;
  if (trained.status !== 'ok') {
    const { status: kind, message } = trained;
    if (branch !== CONTROL && FAILURES[kind].branch === 'outcome') {
      return { status: 'failed', branch, kind, message };
    }
    throw ApplicationFailure.nonRetryable(`${branch}: ${message} (${kind})`, 'JobFailed', {
      step: 'train',
    });
  }
  if (trained.recipe === null)
    throw ApplicationFailure.nonRetryable('a training job has a recipe', 'BrokenPlan');
  const { reward_mean: rewardMean } = trained.summary;
  return {
    status: 'ok',
    branch,
    candidate: {
      policy: output(trained.outputs, 'policy'),
      recipe: trained.recipe,
      selectMean: null,
      conditional: [],
    },
    artifacts: {
      diag: output(trained.outputs, 'diag'),
      metrics: output(trained.outputs, 'optimizer_metrics'),
      train: output(trained.outputs, 'train'),
    },
    rewardMean: typeof rewardMean === 'number' ? rewardMean : null,
  };
}
