// Which job each step asks for: pure plans, from which the submit activity makes job.json and the step key.
import type { ScreenPlan } from './gate/verdict.ts';
import type { BranchInput, Evidence, GenerationInput, TrainedBranch } from './generation.ts';
import type { ArtifactRef } from './schemas/artifact.ts';
import type { CampaignConfig } from './schemas/campaign-config.ts';
import type { JsonPatch } from './schemas/intervention.ts';
import type { JobKind } from './job-kind.ts';
import type { Job } from './schemas/job.ts';

type SpecOf<Kind extends JobKind> = Extract<Job, { kind: Kind }>['spec'];
type WithoutRecipe<Spec> = Spec extends unknown ? Omit<Spec, 'recipe'> : never;

export interface JobPlan {
  readonly step: string;
  readonly kind: JobKind;
  readonly seeds: Job['seeds'];
  readonly redo: number;
  /** Claims of an older attempt do not count against a new one; never part of the key. */
  readonly attempt: number;
  readonly recipe: { readonly ref: ArtifactRef; readonly patch: JsonPatch | null } | null;
  readonly inputs: Readonly<Record<string, { readonly ref: ArtifactRef; readonly tree: boolean }>>;
  readonly spec: WithoutRecipe<SpecOf<JobKind>>;
  /** What the UI shows beside the activity. */
  readonly summary: string;
}

/** A canary is played once: the guard counts tasks. */
const CANARY_SAMPLES = 1;

const seedsOf = (config: Pick<CampaignConfig, 'seed'>, generation: number): Job['seeds'] => ({
  campaign: config.seed,
  generation,
  replicate: 0,
});

type Evaluated = Pick<CampaignConfig, 'evaluation'>;

const file = (ref: ArtifactRef) => ({ ref, tree: false });
const tree = (ref: ArtifactRef) => ({ ref, tree: true });

/** What SELECT and CANARY play; `screenPlan` is what has to come back. */
export const selectSpec = (config: Evaluated, labelSets: string[], policies: string[]) => ({
  mode: 'select' as const,
  label_sets: labelSets,
  policies,
  select: { tasks: config.evaluation.select_tasks, samples: config.evaluation.select_samples },
  canary: { tasks: config.evaluation.canary_tasks, samples: CANARY_SAMPLES },
  decoding: decodingOf(config),
});

/** The rows that the screen expects of every policy, and of the null policy. */
export const screenPlan = ({ evaluation }: Evaluated): ScreenPlan => ({
  selectTasks: evaluation.select_tasks,
  selectSamples: evaluation.select_samples,
  canaryTasks: evaluation.canary_tasks,
  canarySamples: CANARY_SAMPLES,
  nullTasks: evaluation.select_tasks,
});

/** The evaluator's own limits. */
export const decodingOf = (config: Evaluated) => ({
  max_tokens: config.evaluation.max_tokens,
  temperature: config.evaluation.temperature,
  max_turns: config.evaluation.max_turns,
});

/** Supervised warm-up: makes the first incumbent. */
export function planWarmup(config: CampaignConfig, attempt: number): JobPlan {
  const { optimizer_steps, batch_size } = config.warmup;
  return {
    step: 'warmup',
    kind: 'warmup',
    seeds: seedsOf(config, 0),
    redo: 0,
    attempt,
    recipe: null,
    inputs: {},
    spec: { policy: config.policy, ...config.warmup },
    summary: `${optimizer_steps} steps of ${batch_size} demonstrations`,
  };
}

/** First SELECT and CANARY of the warm start, before any generation. */
export function planFirstEvaluation(
  config: CampaignConfig,
  policy: ArtifactRef,
  attempt: number,
): JobPlan {
  return {
    step: 'evaluate.calibrate',
    kind: 'evaluate',
    seeds: seedsOf(config, 0),
    redo: 0,
    attempt,
    recipe: null,
    inputs: { 'policies/incumbent': tree(policy) },
    spec: selectSpec(config, [], ['incumbent']),
    summary: `warm start on ${config.evaluation.select_tasks} SELECT tasks and canaries`,
  };
}

/** The incumbent plays TRAIN and DIAG. */
export function planRollout(input: GenerationInput): JobPlan {
  const { train_tasks, diag_tasks, samples } = input.config.rollout;
  return {
    step: 'rollout',
    kind: 'rollout',
    seeds: seedsOf(input.config, input.generation),
    redo: input.redo.rollout ?? 0,
    attempt: input.attempt,
    recipe: { ref: input.incumbent.recipe, patch: null },
    inputs: { policy: tree(input.incumbent.policy) },
    spec: {
      train: { tasks: train_tasks, samples },
      diag: { tasks: diag_tasks, samples },
    },
    summary: `incumbent on ${train_tasks} TRAIN and ${diag_tasks} DIAG tasks x ${samples}`,
  };
}

/** Oracle labels of the incumbent's DIAG trajectories. */
export function planLabel(input: GenerationInput, diag: ArtifactRef): JobPlan {
  return {
    step: 'evaluate.diag',
    kind: 'evaluate',
    seeds: seedsOf(input.config, input.generation),
    redo: input.redo.rollout ?? 0,
    attempt: input.attempt,
    recipe: null,
    inputs: { 'trajectories/incumbent.parquet': file(diag) },
    spec: { mode: 'label', sets: ['incumbent'] },
    summary: "oracle labels of the incumbent's DIAG trajectories",
  };
}

/** One branch: the incumbent's checkpoint, fresh optimizer state, the generation's fixed budget. */
export function planTrain(input: BranchInput): JobPlan {
  const { config, intervention } = input;
  return {
    step: 'train',
    kind: 'train',
    seeds: seedsOf(config, input.generation),
    redo: input.redo,
    attempt: input.attempt,
    recipe: { ref: input.incumbent.recipe, patch: intervention?.patch ?? null },
    inputs: { policy: tree(input.incumbent.policy) },
    spec: {
      budget: config.budget,
      checkpoint_every: config.checkpoint_every,
      diag: { tasks: config.rollout.diag_tasks, samples: config.rollout.samples },
    },
    summary: `${input.branch} ${intervention?.operator ?? 'control'}: ${config.budget.optimizer_steps} optimizer steps`,
  };
}

/** Labels of the branches' DIAG sets, and SELECT and CANARY of every branch and the incumbent. */
export function planSelect(input: GenerationInput, branches: readonly TrainedBranch[]): JobPlan {
  const names = branches.map(({ branch }) => branch);
  return {
    step: 'evaluate.select',
    kind: 'evaluate',
    seeds: seedsOf(input.config, input.generation),
    redo: input.redo.screen ?? 0,
    attempt: input.attempt,
    recipe: null,
    inputs: {
      'policies/incumbent': tree(input.incumbent.policy),
      ...Object.fromEntries(
        branches.flatMap(({ branch, candidate, artifacts }) => [
          [`policies/${branch}`, tree(candidate.policy)],
          [`trajectories/${branch}.parquet`, file(artifacts.diag)],
        ]),
      ),
    },
    spec: selectSpec(input.config, names, ['incumbent', ...names]),
    summary: `SELECT and CANARY for ${['incumbent', ...names].join(', ')}`,
  };
}

/** Test `test` of the gate: fresh PROMOTION problems and category extras for challenger and incumbent. */
export function planGate(input: GenerationInput, challenger: TrainedBranch, test: number): JobPlan {
  const { promotion_tasks, promotion_samples, category_tasks } = input.config.evaluation;
  return {
    step: 'evaluate.gate',
    kind: 'evaluate',
    seeds: seedsOf(input.config, input.generation),
    redo: input.redo.promote ?? 0,
    attempt: input.attempt,
    recipe: null,
    inputs: {
      'policies/challenger': tree(challenger.candidate.policy),
      'policies/incumbent': tree(input.incumbent.policy),
    },
    spec: {
      mode: 'gate',
      test,
      promotion: { tasks: promotion_tasks, samples: promotion_samples },
      category_tasks,
      decoding: decodingOf(input.config),
    },
    summary: `test ${test}: ${challenger.branch} against the incumbent`,
  };
}

/** The evidence of a finished rollout and its labels. */
export const evidenceOf = (
  rollout: Readonly<Record<string, ArtifactRef>>,
  labelled: Readonly<Record<string, ArtifactRef>>,
): Evidence => ({
  train: output(rollout, 'train'),
  diag: output(rollout, 'diag'),
  labels: output(labelled, 'labels/incumbent'),
});

/** An output a finished step must have. Throws RangeError that names it and what there is. */
export function output(outputs: Readonly<Record<string, ArtifactRef>>, name: string): ArtifactRef {
  const ref = outputs[name];
  if (ref === undefined) {
    throw new RangeError(
      `the job left no output '${name}', only ${Object.keys(outputs).join(', ')}`,
    );
  }
  return ref;
}
