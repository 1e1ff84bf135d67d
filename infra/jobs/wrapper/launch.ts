// What a wrapper is told on its standard input: addresses, secrets and limits. Never written to a file.
import { z } from 'zod';

const storeSchema = z.strictObject({
  url: z.string(),
  s3: z
    .strictObject({
      endpoint: z.string().optional(),
      region: z.string().optional(),
      accessKeyId: z.string().optional(),
      secretAccessKey: z.string().optional(),
      sessionToken: z.string().optional(),
      requestTimeoutMs: z.number().optional(),
    })
    .optional(),
});

/** Any executor → wrapper. `sealed` and the gate secret in `variables` come with evaluate jobs alone. */
export const launchSchema = z.strictObject({
  version: z.literal(1),
  folder: z.string(),
  open: storeSchema,
  sealed: storeSchema.nullable(),
  slots: z.strictObject({ database: z.string(), count: z.int().min(1) }),
  trainer: z.strictObject({
    command: z.array(z.string()).min(1).describe('the job directory is added as last argument'),
    cwd: z.string(),
    variables: z.record(z.string(), z.string()).describe('the whole environment of the trainer'),
  }),
  limits: z.strictObject({
    stallMs: z.int().min(1).describe('longest time without any progress'),
    checkpointGraceMs: z.int().min(0).describe('for a checkpoint after SIGTERM'),
    pollMs: z.int().min(1),
  }),
});
export type Launch = z.infer<typeof launchSchema>;
export type StoreAddress = z.infer<typeof storeSchema>;
