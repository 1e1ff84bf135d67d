// The StdGroupFilter of EvoTrainer (arXiv:2606.03108), used on its own and as the second level of the Dual-Level
// Filter.
import { z } from 'zod';

export const stdGroupSchema = z.strictObject({
  keep_ratio: z
    .number()
    .min(0.5)
    .max(1)
    .default(0.9)
    .describe(
      'share of groups to keep if std is normally distributed; 1 = drop only by min_std and zero std',
    ),
  min_keep_ratio: z
    .number()
    .min(0)
    .max(1)
    .default(0.5)
    .describe('least share to keep of the groups that are not dead, per optimizer step'),
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
    .describe('a group below this is dead and always dropped'),
  warmup_groups: z
    .int()
    .min(0)
    .max(100_000)
    .default(20)
    .describe('number of first groups, of which only dead ones are dropped'),
});
