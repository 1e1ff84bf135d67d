// The StdGroupFilter of EvoTrainer (arXiv:2606.03108): a filter of its own, and the second level of the Dual-Level Filter.
import { z } from 'zod';

export const stdGroupSchema = z.strictObject({
  keep_ratio: z
    .number()
    .min(0.5)
    .max(1)
    .default(0.9)
    .describe(
      'share of groups to keep under a normal spread of std; 1 = only min_std and zero std count',
    ),
  min_keep_ratio: z
    .number()
    .min(0)
    .max(1)
    .default(0.5)
    .describe('floor on the share kept of the groups of a step that are not dead'),
  ema_decay: z
    .number()
    .gt(0)
    .max(1)
    .default(0.1)
    .describe('weight of a new group in the moving mean and variance of std'),
  min_std: z
    .number()
    .min(0)
    .max(10)
    .default(0.01)
    .describe('a group below it is dead and always dropped'),
  warmup_groups: z
    .int()
    .min(0)
    .max(100_000)
    .default(20)
    .describe('first groups, of which only dead ones are dropped'),
});
