// What a running job reports of itself. Apart from job.ts, so that a command that shows jobs does not build the whole contract.
import { z } from 'zod';

/** Rewritten by rename at each optimizer step (or evaluation batch). Not covered by any digest. Lenient: shown, never decided on. */
export const heartbeatSchema = z.object({
  stage: z.string().describe('warmup, train, diag, rollout, label, select, canary, gate'),
  step: z.number().int(),
  steps: z.number().int(),
  reward: z.number().nullish(),
  tokens_per_s: z.number().nullish(),
  seconds_left: z.number().nullish(),
});
export type JobHeartbeat = z.infer<typeof heartbeatSchema>;
