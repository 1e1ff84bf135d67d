// The YAML file of a campaign. Users write it, hence snake_case. The defaults are here; an unknown key is an error.
import { z } from 'zod';
import { DOMAIN_NAMES } from '../gate/domain-rules.ts';
import { executorConfigSchema } from './executor-config.ts';
import { budgetSchema, environmentSchema, policyShapeSchema, warmupSpecSchema } from './job.ts';
import { definitionSchema } from './harness.ts';
import { categoryWeightsSchema, recipeSchema } from './recipe.ts';

const count = (value: number) => z.int().min(1).default(value);

export const warmupConfigSchema = warmupSpecSchema
  .omit({ policy: true })
  .partial()
  .extend({
    optimizer_steps: count(400),
    batch_size: count(96),
    learning_rate: z.number().gt(0).default(2e-3),
    levels: z.tuple([z.int().min(1), z.int().min(1)]).default([1, 4]),
    categories: categoryWeightsSchema,
    mix: z.record(z.string(), z.number().min(0).max(1)).default({}),
    checkpoint_every: count(100),
  });

export const campaignConfigSchema = z
  .strictObject({
    name: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'lower-case letters, digits and hyphens, at most 63')
      .describe('names the workflow evo/<name> and the ledger'),
    domain: z.enum(DOMAIN_NAMES),
    environment: environmentSchema,
    seed: z.int().min(0).default(1),
    generations: count(2).describe('generations to play'),
    interventions: count(2).describe('K: branches in addition to the control'),
    harness: z.enum(['full', 'scalar']).default('full'),
    harness_folder: z
      .string()
      .min(1)
      .optional()
      .describe('folder with definitions of your own; evo run reads them into `definitions`'),
    definitions: z.array(definitionSchema).optional(),
    policy: policyShapeSchema.prefault({}),
    warmup: warmupConfigSchema.prefault({}),
    recipe: recipeSchema,
    budget: budgetSchema
      .extend({ optimizer_steps: count(20), sampled_tokens_max: count(100_000_000) })
      .prefault({})
      .describe('of one branch; the first limit that is reached ends it'),
    checkpoint_every: count(10).describe('optimizer steps between checkpoints of a branch'),
    rollout: z
      .strictObject({ train_tasks: count(64), diag_tasks: count(128), samples: count(8) })
      .prefault({})
      .describe('rollouts of the incumbent in each generation'),
    evaluation: z
      .strictObject({
        max_tokens: z
          .int()
          .min(4)
          .default(64)
          .describe("the evaluator's own limit on sampled tokens"),
        max_turns: z
          .int()
          .min(1)
          .nullable()
          .default(null)
          .describe("the evaluator's own limit on the policy's turns; null = none"),
        temperature: z.number().gt(0).max(4).default(1),
        select_tasks: count(400),
        select_samples: count(2),
        canary_tasks: count(1000),
        promotion_tasks: count(800),
        promotion_samples: count(4),
        category_tasks: count(350),
      })
      .prefault({}),
    gate: z
      .strictObject({
        alpha: z
          .number()
          .gt(0)
          .lt(1)
          .default(0.05)
          .describe('chance of any false promotion in the epoch'),
        delta0: z.number().min(0).max(1).default(0).describe('H0: E d <= delta0'),
        conditional_categories: z.array(z.string()).default([]),
      })
      .prefault({}),
    executor: executorConfigSchema.prefault({ type: 'local' }),
    store: z
      .string()
      .regex(/^(file|s3):\/\//, 'file:///absolute/path or s3://bucket/prefix')
      .nullable()
      .default(null)
      .describe('open root; null = the state folder of `evo up`'),
    sealed_store: z
      .string()
      .regex(/^(file|s3):\/\//, 'file:///absolute/path or s3://bucket/prefix')
      .nullable()
      .default(null)
      .describe('sealed root; null = next to the open one, with -sealed'),
    temporal: z
      .strictObject({
        heartbeat_timeout_s: z.number().gt(0).default(10),
      })
      .prefault({}),
  })
  .superRefine(({ executor, store }, context) => {
    if (executor.type === 'local' || store !== null) return;
    const message =
      'jobs on other machines need a store that they can reach: s3://bucket/prefix, or a file:///folder that all of them mount';
    context.addIssue({ code: 'custom', path: ['store'], message });
  });
export type CampaignConfig = z.infer<typeof campaignConfigSchema>;

/** Keys that cannot change a result and are therefore not part of the config digest. */
export const CONFIG_KEYS_OUTSIDE_DIGEST = [
  'executor',
  'store',
  'sealed_store',
  'temporal',
  'generations',
] as const satisfies readonly (keyof CampaignConfig)[];
