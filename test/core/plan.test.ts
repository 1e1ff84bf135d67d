import { describe, expect, it } from 'vitest';
import type { BranchInput } from '../../core/generation.ts';
import {
  evidenceOf,
  output,
  planFirstEvaluation,
  planGate,
  planLabel,
  planRollout,
  planSelect,
  planTrain,
  planWarmup,
  type JobPlan,
} from '../../core/plan.ts';
import { jobSchema } from '../../core/schemas/job.ts';
import { config, generationInput, injected, trainedBranches } from './campaign-fixtures.ts';
import { ref, sha256 } from './ledger-fixtures.ts';

const input = generationInput();
const branches = trainedBranches(1);
const [, b1] = branches;
if (!b1) throw new Error('two branches');
const branchInput: BranchInput = {
  scope: input.scope,
  config,
  epoch: input.epoch,
  generation: 1,
  attempt: 1,
  redo: 0,
  branch: 'b0',
  incumbent: input.incumbent,
  harness: input.harness,
  intervention: null,
  pause: null,
};

const plans: Readonly<Record<string, (more?: { attempt?: number }) => JobPlan>> = {
  warmup: ({ attempt = 1 } = {}) => planWarmup(config, attempt),
  'evaluate.calibrate': ({ attempt = 1 } = {}) => planFirstEvaluation(config, ref('warm'), attempt),
  rollout: (more) => planRollout({ ...input, ...more }),
  'evaluate.diag': (more) => planLabel({ ...input, ...more }, ref('diag')),
  train: (more) => planTrain({ ...branchInput, ...more }),
  'evaluate.select': (more) => planSelect({ ...input, ...more }, branches),
  'evaluate.gate': (more) => planGate({ ...input, ...more }, b1, 7),
};
/** What the step key is made of. */
const keyed = ({ attempt: _attempt, summary: _summary, ...rest }: JobPlan) => rest;

describe.each(Object.entries(plans))('the plan of %s', (step, plan) => {
  it('carries the name of its step', () => {
    expect(plan().step).toBe(step);
  });

  it('is a job that the trainer contract takes', () => {
    const { kind, seeds, spec, recipe } = plan();
    const job = {
      version: 1,
      kind,
      domain: config.domain,
      trainer_digest: sha256('trainer'),
      seeds,
      features: [],
      spec: recipe === null ? spec : { ...spec, recipe: config.recipe },
    };
    expect(jobSchema.safeParse(job).error).toBeUndefined();
  });

  it('asks for the same in every attempt', () => {
    expect(keyed(plan({ attempt: 5 }))).toEqual(keyed(plan()));
  });

  it('says what it works on in a line that the UI takes', () => {
    const { length } = new TextEncoder().encode(plan().summary);
    expect(length).toBeGreaterThan(10);
    expect(length).toBeLessThan(200);
  });
});

describe('seeds', () => {
  it('are of the campaign and the generation', () => {
    expect(planRollout({ ...input, generation: 4 }).seeds).toEqual({
      campaign: config.seed,
      generation: 4,
      replicate: 0,
    });
  });

  it('are the same for every branch', () => {
    const seeds = ['b0', 'b1', 'b7'].map((branch) => planTrain({ ...branchInput, branch }).seeds);
    expect(new Set(seeds.map((one) => JSON.stringify(one))).size).toBe(1);
  });

  it('are the same whatever is redone', () => {
    const redo = { rollout: 3, screen: 2, promote: 1 };
    expect(planRollout({ ...input, redo }).seeds).toEqual(planRollout(input).seeds);
    expect(planTrain({ ...branchInput, redo: 3 }).seeds).toEqual(planTrain(branchInput).seeds);
  });
});

describe('a branch', () => {
  it('differs from the control in the patch alone', () => {
    const intervention = injected('i1');
    const { recipe, ...rest } = keyed(planTrain({ ...branchInput, branch: 'b1', intervention }));
    const { recipe: unchanged, ...control } = keyed(planTrain(branchInput));
    expect(rest).toEqual(control);
    expect(unchanged).toEqual({ ref: input.incumbent.recipe, patch: null });
    expect(recipe).toEqual({ ref: input.incumbent.recipe, patch: intervention.patch });
  });

  it("starts from the incumbent's checkpoint", () => {
    expect(planTrain(branchInput).inputs).toEqual({
      policy: { ref: input.incumbent.policy, tree: true },
    });
  });
});

describe('a raised redo', () => {
  it.each([
    ['rollout', (redo: object) => planRollout({ ...input, redo })],
    ['rollout', (redo: object) => planLabel({ ...input, redo }, ref('diag'))],
    ['screen', (redo: object) => planSelect({ ...input, redo }, branches)],
    ['promote', (redo: object) => planGate({ ...input, redo }, b1, 7)],
  ])('of %s is that of its job', (step, plan) => {
    expect([plan({}).redo, plan({ [step]: 2 }).redo]).toEqual([0, 2]);
  });
});

describe('the evaluation of branches', () => {
  const { inputs, spec } = planSelect(input, branches);

  it('plays every branch and the incumbent', () => {
    expect(spec).toMatchObject({ mode: 'select', policies: ['incumbent', 'b0', 'b1'] });
    expect(Object.keys(inputs).filter((name) => name.startsWith('policies/'))).toEqual([
      'policies/incumbent',
      'policies/b0',
      'policies/b1',
    ]);
  });

  it('labels the set of every branch', () => {
    expect(spec).toMatchObject({ label_sets: ['b0', 'b1'] });
    expect(inputs['trajectories/b1.parquet']).toEqual({ ref: b1.artifacts.diag, tree: false });
  });

  it('plays the incumbent alone where every branch failed', () => {
    expect(planSelect(input, []).spec).toMatchObject({ policies: ['incumbent'], label_sets: [] });
  });

  it("decodes under the evaluator's limits, not the recipe's", () => {
    const { max_tokens, temperature } = config.evaluation;
    expect(spec).toMatchObject({ decoding: { max_tokens, temperature } });
  });
});

it('the test of the gate names its stream by number and meets challenger and incumbent alone', () => {
  const { spec, inputs } = planGate(input, b1, 7);
  expect(spec).toMatchObject({ mode: 'gate', test: 7 });
  expect(inputs).toEqual({
    'policies/challenger': { ref: b1.candidate.policy, tree: true },
    'policies/incumbent': { ref: input.incumbent.policy, tree: true },
  });
});

describe('outputs of a finished step', () => {
  it('become the evidence of a generation', () => {
    const rolled = { train: ref('train'), diag: ref('diag') };
    expect(evidenceOf(rolled, { 'labels/incumbent': ref('labels') })).toEqual({
      ...rolled,
      labels: ref('labels'),
    });
  });

  it('that are missing are named, beside those there are', () => {
    expect(() => output({ diag: ref('diag') }, 'train')).toThrow(
      "the job left no output 'train', only diag",
    );
  });
});
