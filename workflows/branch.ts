import { ApplicationFailure } from '@temporalio/workflow';
import { FAILURES } from '../core/failure.ts';
import type { BranchInput, BranchOutcome } from '../core/generation.ts';
import { CONTROL } from '../core/ids.ts';
import { output } from '../core/plan.ts';
import { followParent } from './instructions.ts';
import { runJob } from './run-job.ts';

/**
 * Trains one branch from the incumbent's checkpoint for the generation's budget; it ends with its own DIAG rollouts.
 */
export async function branchWorkflow(input: BranchInput): Promise<BranchOutcome> {
  const { job, heartbeatTimeoutS, branch, intervention, train } = input;
  const pauses = followParent({ pause: input.pause, injected: [], messages: [] });
  const trained = await runJob({ ...job, heartbeatTimeoutS, pauses }, train);
  if (trained.status !== 'ok') {
    const { status: kind, message } = trained;
    if (branch !== CONTROL && FAILURES[kind].branch === 'outcome') {
      return { status: 'failed', branch, intervention, kind, message };
    }
    throw ApplicationFailure.nonRetryable(`${branch}: ${message} (${kind})`, 'JobFailed', {
      step: 'train',
    });
  }
  const { outputs, recipe, summary } = trained;
  if (recipe === null)
    throw ApplicationFailure.nonRetryable('a training job has a recipe', 'BrokenPlan');
  const { reward_mean: rewardMean } = summary;
  return {
    status: 'ok',
    branch,
    intervention,
    candidate: { policy: output(outputs, 'policy'), recipe, selectMean: null, lostCategories: [] },
    artifacts: {
      diag: output(outputs, 'diag'),
      optimizerMetrics: output(outputs, 'optimizer_metrics'),
      train: output(outputs, 'train'),
    },
    rewardMean: typeof rewardMean === 'number' ? rewardMean : null,
  };
}
