// Address and credentials of an S3 store. They come from the environment, never from a campaign file.
import { z } from 'zod';

export const s3OptionsSchema = z.strictObject({
  endpoint: z.string().optional().describe('absent: AWS itself, in `region`'),
  region: z.string().optional(),
  accessKeyId: z.string().optional(),
  secretAccessKey: z.string().optional(),
  sessionToken: z.string().optional(),
  profile: z
    .string()
    .optional()
    .describe('of the AWS config files; without it and without keys: the role of the machine'),
  pathStyle: z.boolean().optional().describe('default: at an endpoint of its own'),
  checksums: z
    .enum(['when_supported', 'when_required'])
    .optional()
    .describe('when_required for servers that do not know the newer checksums'),
  connectionTimeoutMs: z.number().optional(),
  requestTimeoutMs: z
    .number()
    .optional()
    .describe('for one request, i.e. at most one part, and for each silence within an answer'),
});

export interface S3Options extends Readonly<z.infer<typeof s3OptionsSchema>> {}
