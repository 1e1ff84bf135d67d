import {
  CancellationScope,
  ChildWorkflowCancellationType,
  ParentClosePolicy,
  startChild,
} from '@temporalio/workflow';
import type { BranchOutcome } from '../core/generation.ts';
import { branchName, workflowIds } from '../core/ids.ts';
import { planTrain } from '../core/plan.ts';
import type { ArtifactRef } from '../core/schemas/artifact.ts';
import type { Intervention } from '../core/schemas/intervention.ts';
import { branchWorkflow } from './branch.ts';
import type { GenerationSteps } from './generation-steps.ts';
import { branchOutcomeSchema } from '../core/schemas/step-results.ts';
import { parsed } from './parsed.ts';
import { generationAttributes } from './search-attributes.ts';
import { instructionsSignal, wake } from './wake-ups.ts';

interface Branch {
  readonly branch: string;
  /** Null for the control. */
  readonly intervention: Intervention | null;
}

/** Trains b0, the control, and one branch per intervention, all at once: same start, seeds and budget. */
export async function trainBranches(
  g: GenerationSteps,
  harness: ArtifactRef,
  interventions: readonly Intervention[],
): Promise<readonly BranchOutcome[]> {
  const branches = [null, ...interventions].map((intervention, index) => ({
    branch: branchName(index),
    intervention,
  }));
  g.progress.training(branches);
  await g.enter('train');
  g.training = branches.map(({ branch }) => branch);
  const outcomes = await allOrNone(
    branches.map((branch) => async () => trainBranch(g, harness, branch)),
  );
  g.training = [];
  return outcomes;
}

async function trainBranch(
  g: GenerationSteps,
  harness: ArtifactRef,
  { branch, intervention }: Branch,
): Promise<BranchOutcome> {
  const { attempt, context } = g.input;
  const { config, generation } = context;
  const { scope, trainerDigest, gateSecretId, heartbeatTimeoutS } = g.jobs;
  const instructions = g.instructions.current();
  const workflowId = workflowIds.branch(scope.campaign, generation, attempt, branch);
  const child = await startChild(branchWorkflow, {
    workflowId,
    args: [
      {
        job: { scope, trainerDigest, gateSecretId, harness },
        heartbeatTimeoutS,
        branch,
        intervention: intervention?.id ?? null,
        train: g.jobOf('train', planTrain(context, branch, intervention)),
        pause: instructions.pause,
      },
    ],
    typedSearchAttributes: generationAttributes(config, generation),
    staticSummary: `${branch}: ${intervention?.operator ?? 'control, the recipe unchanged'}`,
    staticDetails:
      intervention?.hypothesis ??
      'The incumbent, trained on by its own recipe with the same seeds and budget.',
    cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
    parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
  });
  // A change that came while the child started had no receiver yet.
  if (g.instructions.current() !== instructions) await wake(workflowId, instructionsSignal);
  const outcome = parsed(branchOutcomeSchema, await child.result(), `the result of ${branch}`);
  await g.progress.trained(outcome);
  return outcome;
}

/** Runs all at once. If one fails for good, the others are canceled and awaited, so that none outlives the caller. */
async function allOrNone<Result>(works: readonly (() => Promise<Result>)[]): Promise<Result[]> {
  const scope = new CancellationScope();
  const running = works.map(async (work) => scope.run(work));
  return Promise.all(running).catch(async (error: unknown) => {
    scope.cancel();
    await Promise.allSettled(running);
    throw error;
  });
}
