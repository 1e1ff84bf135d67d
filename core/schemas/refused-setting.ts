// A setting of the recipe that a trainer does not have: only its default can be trained.
import { z } from 'zod';
import { lineSchema } from './limits.ts';

export const refusedSettingSchema = z.strictObject({
  path: z
    .string()
    .max(200)
    .regex(/^\/[a-z_/]+$/, 'a path of the recipe, such as /optimizer/replay'),
  why: lineSchema(500),
});
export type RefusedSetting = z.infer<typeof refusedSettingSchema>;
