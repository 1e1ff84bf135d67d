// The view of a generation, which the campaign reads from its open generation.
import { z } from 'zod';
import { openApprovalSchema } from './approval.ts';
import type { GenerationView, TestNumbers } from '../campaign-view.ts';
import { effectSchema } from './forecast.ts';

export const testNumbersSchema: z.ZodType<TestNumbers> = z.strictObject({
  test: z.int().min(1),
  testOfCampaign: z.int().min(0),
  reservedBy: z.string(),
});

const branchViewSchema = z.strictObject({
  branch: z.string(),
  operator: z.string().nullable(),
  hypothesis: z.string().nullable(),
  state: z.enum(['training', 'trained', 'failed', 'decided']),
  decision: z.string().nullable(),
  guard: z.string().nullable(),
  why: z.string().nullable(),
  selectMean: z.number().nullable(),
  rewardMean: z.number().nullable(),
  effect: effectSchema.nullish(),
});

export const generationViewSchema: z.ZodType<GenerationView> = z.strictObject({
  generation: z.int().min(1),
  attempt: z.int().min(1),
  step: z.string().nullable(),
  bottleneck: z.string().nullable(),
  branches: z.array(branchViewSchema),
  verdict: z
    .strictObject({
      branch: z.string(),
      verdict: z.string(),
      guard: z.string().nullable(),
      why: z.string(),
      recipe: z.string().nullable(),
      test: testNumbersSchema,
    })
    .nullable(),
  incumbentSelectMean: z.number().nullable(),
  repeated: z.string().nullable(),
  notices: z.array(z.string()),
  withdrawn: z.string().nullish(),
  agents: z.array(z.string()).optional(),
  approval: openApprovalSchema.nullable(),
});
