// The recipe: everything training reads. Written by hand in YAML and read by the trainer, hence snake_case and the field's names.
import { z } from 'zod';

const featureName = z.string().regex(/^[a-z][a-z0-9_]*$/);

export const rewardSchema = z
  .strictObject({
    components: z
      .array(
        z.strictObject({
          feature: featureName.describe('name of a feature in harness/features'),
          weight: z.number().min(-10).max(10),
        }),
      )
      .min(1)
      .max(8)
      .describe('reward = sum over components of weight x feature value'),
  })
  .describe('what the policy is paid for');

export const filterSchema = z.strictObject({
  trajectories: z
    .array(featureName)
    .max(8)
    .default([])
    .describe(
      'boolean features; a trajectory for which one holds is kept out of the gradient and of its group baseline',
    ),
  zero_variance_groups: z
    .boolean()
    .default(true)
    .describe(
      'drop groups whose rewards are all equal (std < 1e-6) from the loss, denominator included',
    ),
  truncated: z
    .enum(['keep', 'mask'])
    .default('keep')
    .describe(
      'mask = truncated trajectories stay in the group baseline but not in the loss (DAPO overlong filtering)',
    ),
});

/** Weights by category; empty = the domain's own shares, a category left out = 0. */
export const categoryWeightsSchema = z
  .record(z.string(), z.number().min(0).max(1000))
  .default({})
  .describe("weights of the domain's categories in place of their natural shares; empty = those");

export const curriculumSchema = z.strictObject({
  levels: z
    .tuple([z.int().min(1), z.int().min(1)])
    .default([1, 8])
    .describe('lowest and highest task level drawn for training'),
  categories: categoryWeightsSchema,
  success_band: z
    .tuple([z.number().min(0).max(1), z.number().min(0).max(1)])
    .nullable()
    .default(null)
    .describe(
      'draw levels whose running success rate lies in this band four times as often; null = uniform',
    ),
});

export const rolloutSchema = z.strictObject({
  prompts_per_step: z.int().min(1).max(4096).default(32),
  group_size: z.int().min(2).max(256).default(8).describe('samples of one prompt (GRPO group)'),
  temperature: z.number().gt(0).max(4).default(1),
  max_tokens: z
    .int()
    .min(4)
    .max(32768)
    .default(40)
    .describe('limit on sampled tokens of TRAIN and DIAG rollouts'),
  max_turns: z
    .int()
    .min(1)
    .max(1000)
    .nullable()
    .default(null)
    .describe("limit on the policy's turns of TRAIN and DIAG rollouts; null = none"),
  guidance: z
    .strictObject({
      share: z.number().gt(0).max(1).default(0.25).describe('of the prompts of a step'),
      prefix: z
        .number()
        .gt(0)
        .max(0.95)
        .default(0.5)
        .describe('share of the words of a right solution that is forced at the first step'),
      anneal_steps: z
        .int()
        .min(1)
        .max(100_000)
        .default(50)
        .describe('optimizer steps in which the forced share falls to nothing, linearly'),
    })
    .nullable()
    .default(null)
    .describe(
      'force the first words of a right solution, outside the loss, in training alone (after GHPO, arXiv:2507.10628); null = never',
    ),
});

const replaySchema = z
  .strictObject({
    coef: z.number().gt(0).max(10).default(0.1).describe('weight beside the policy-gradient loss'),
    batch_size: z.int().min(1).max(1024).default(16).describe('demonstrations an optimizer step'),
    categories: categoryWeightsSchema,
  })
  .nullable()
  .default(null)
  .describe(
    'cross-entropy on right solutions of TRAIN tasks beside the policy gradient (after DAPG, arXiv:1709.10087); null = none',
  );

export const optimizerSchema = z.strictObject({
  learning_rate: z.number().gt(0).max(1).default(3e-4),
  weight_decay: z.number().min(0).max(1).default(0),
  max_grad_norm: z.number().gt(0).default(1),
  minibatches: z
    .int()
    .min(1)
    .max(64)
    .default(1)
    .describe('optimizer updates on one batch of rollouts'),
  clip_low: z.number().gt(0).max(1).default(0.2),
  clip_high: z.number().gt(0).max(10).default(0.28),
  entropy_coef: z.number().min(0).max(1).default(0),
  kl_coef: z
    .number()
    .min(0)
    .max(10)
    .default(0)
    .describe("k3 estimator against the branch's starting policy"),
  advantage_scale: z.enum(['group_std', 'none']).default('group_std').describe('GRPO, or Dr.GRPO'),
  loss_aggregation: z
    .enum(['token_mean', 'sequence_mean'])
    .default('token_mean')
    .describe('DAPO, or GRPO'),
  replay: replaySchema,
});

export const recipeSchema = z.strictObject({
  reward: rewardSchema,
  filter: filterSchema.prefault({}),
  curriculum: curriculumSchema.prefault({}),
  rollout: rolloutSchema.prefault({}),
  optimizer: optimizerSchema.prefault({}),
});
export type Recipe = z.infer<typeof recipeSchema>;
