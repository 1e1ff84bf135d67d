// The three activities of a job: submit, await, terminate. They connect Temporal with the executor.
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { CampaignScope, JobScope } from '../core/generation.ts';
import { jobFeatures } from '../core/harness/job-features.ts';
import { workflowIds } from '../core/ids.ts';
import type { JobPlan, StepJob } from '../core/job-plan.ts';
import { OWN_DOMAIN, pythonEnvironments } from '../core/python-environments.ts';
import { applyPatch } from '../core/recipe/apply-patch.ts';
import type { ArtifactRef } from '../core/schemas/artifact.ts';
import { harnessSchema } from '../core/schemas/harness.ts';
import { jobSchema, type Job } from '../core/schemas/job.ts';
import { recipeSchema, type Recipe } from '../core/schemas/recipe.ts';
import { withTaken } from '../core/taken-problems.ts';
import { stepKey } from './shared/finish-step.ts';
import type { CampaignPorts, PortsOf } from './ports/campaign-ports.ts';
import type { JobOutcome } from './ports/executor.ts';
import { readJson, storeJson } from './shared/store-json.ts';
import { readTaken } from './shared/taken-problems.ts';

export interface SubmitInput extends JobScope {
  readonly job: StepJob;
}

export interface Submitted {
  readonly key: string;
  readonly recipe: ArtifactRef | null;
}

interface ClaimInput {
  readonly scope: CampaignScope;
  readonly key: string;
}

/** Makes job.json from a plan and submits it to the executor under its step key. */
export const makeSubmitJob =
  (portsOf: PortsOf) =>
  async (input: SubmitInput): Promise<Submitted> => {
    const { scope, trainerDigest } = input;
    const { step, redo, plan } = input.job;
    const ports = portsOf(scope);
    await refuseOtherTrainer(ports, trainerDigest);
    const recipe = plan.recipe === null ? null : await patchedRecipe(ports, plan.recipe);
    const job = await makeJob(ports, input, recipe);
    const recipeRef = recipe && (await storeJson(ports.stores.open, recipe));
    const isOwn = scope.domain === OWN_DOMAIN;
    const taken = isOwn ? await readTaken(ports.stores.open, scope.campaign) : [];
    const inputs = withTaken(plan.inputs, plan.seeds.generation, taken);
    const refs = Object.fromEntries(Object.entries(inputs).map(([path, { ref }]) => [path, ref]));
    // The streams of SELECT's gate siblings derive from the secret, so its commitment belongs to an evaluation's key.
    const secret = plan.kind === 'evaluate' ? input.gateSecretId : null;
    const key = stepKey({ step, spec: { job, secret }, inputs: refs, trainerDigest, redo });
    await ports.executor.submit({
      key,
      campaign: scope.campaign,
      step,
      summary: plan.summary,
      branch: workflowIds.branchIn(Context.current().info.workflowExecution?.workflowId ?? ''),
      attempt: attemptOf(scope, input.job),
      job,
      inputs,
    });
    return { key, recipe: recipeRef };
  };

/** The run id differs between a campaign and its restart, so failed claims of the old run do not count. */
function attemptOf({ campaign }: CampaignScope, { attempt, plan }: StepJob): string {
  const { workflowExecution } = Context.current().info;
  const id = workflowIds.generation(campaign, plan.seeds.generation, attempt);
  return `${id} ${workflowExecution?.runId ?? ''}`;
}

/** Waits for the newest claim of a key. Null = the claim was lost or paused, and the caller submits again. */
export const makeAwaitJob =
  (portsOf: PortsOf) =>
  async ({ scope, key }: ClaimInput): Promise<JobOutcome | null> => {
    const { executor } = portsOf(scope);
    const context = Context.current();
    for (;;) {
      const observation = await executor.observe(key);
      context.heartbeat(observation.state === 'done' ? { state: 'done' } : observation);
      if (observation.state === 'done') return observation.outcome;
      if (observation.state === 'lost') {
        context.log.warn('the job was lost', {
          key,
          why: observation.why,
          claim: observation.claim,
        });
        return null;
      }
      // A cancellation ends only the wait. The workflow knows why it was canceled and ends the job if it must.
      await context.sleep(POLL_MS);
    }
  };

const POLL_MS = 400;

export const makeTerminateJob =
  (portsOf: PortsOf) =>
  async ({
    scope,
    key,
    mode,
  }: ClaimInput & { readonly mode: 'checkpoint' | 'terminate' }): Promise<void> => {
    await portsOf(scope).executor.cancel(key, mode);
  };

async function refuseOtherTrainer(ports: CampaignPorts, expected: string): Promise<void> {
  const found = await ports.trainerDigest();
  if (found === expected) return;
  throw ApplicationFailure.nonRetryable(
    `this worker has trainer ${found}, but the campaign was calibrated with ${expected} (config_invalid): ` +
      'restore that version of trainer/ and retry, or end it with evo abort and run its file again, which opens a new epoch',
    'TrainerChanged',
  );
}

async function patchedRecipe(
  ports: CampaignPorts,
  { ref, patch }: NonNullable<JobPlan['recipe']>,
): Promise<Recipe> {
  const recipe = await readJson(ports.stores.open, ref, recipeSchema);
  if (patch === null) return recipe;
  const patched = applyPatch(recipe, patch);
  if (!patched.ok) throw ApplicationFailure.nonRetryable(patched.reason, 'PatchRefused');
  return recipeSchema.parse(patched.value);
}

async function makeJob(
  ports: CampaignPorts,
  input: SubmitInput,
  recipe: Recipe | null,
): Promise<Job> {
  const { scope, trainerDigest, harness } = input;
  const { plan } = input.job;
  const definitions = await readJson(ports.stores.open, harness, harnessSchema);
  return jobSchema.parse({
    version: 1,
    kind: plan.kind,
    domain: scope.domain,
    environment: scope.environment,
    python_environments: pythonEnvironments(scope),
    player: scope.player.engine === 'hf' ? null : scope.player,
    trainer_digest: trainerDigest,
    seeds: plan.seeds,
    features: recipe === null ? [] : jobFeatures(definitions, recipe),
    spec: recipe === null ? plan.spec : { ...plan.spec, recipe },
  });
}
