// The start arguments of workflows. Whoever reaches the Temporal server can start one with any arguments.
import { z } from 'zod';
import type { BranchInput, CampaignScope, GenerationInput } from '../generation.ts';
import { JOB_KINDS } from '../job-kind.ts';
import type { JobPlan } from '../job-plan.ts';
import type { InquiryInput } from '../research/inquiry.ts';
import { approvalKeySchema } from './approval.ts';
import { artifactRefSchema, sha256Schema } from './artifact.ts';
import { APPROVAL_POINTS } from './autonomy.ts';
import { campaignConfigSchema } from './campaign-config.ts';
import { namespaceSchema } from './final-entries.ts';
import { campaignStateSchema, redoSchema } from './campaign-state.ts';
import { generationContextSchema } from './generation-context.ts';
import { jsonPatchSchema } from './intervention.ts';
import {
  evaluateSpecSchema,
  rolloutSpecSchema,
  seedsSchema,
  trainSpecSchema,
  warmupSpecSchema,
} from './job.ts';
import { instructionsSchema } from './step-results.ts';

export const campaignInputSchema = z.strictObject({
  config: campaignConfigSchema,
  configDigest: sha256Schema,
  /** State carried over continue-as-new; absent at the first start. */
  carried: campaignStateSchema.optional(),
  /** Continue as new at a generation's end once the history holds more; null = when the server suggests it. */
  historyBytesMax: z.int().min(0).nullable().optional(),
  /** By which approvals of what unconfined agents offered are signed; absent = nobody was shown a code. */
  approvalKey: approvalKeySchema.nullable().optional(),
});
export type CampaignInput = z.infer<typeof campaignInputSchema>;

export const finalInputSchema = z.strictObject({
  config: campaignConfigSchema,
  namespace: namespaceSchema,
});
export type FinalInput = z.infer<typeof finalInputSchema>;

export const generationInputSchema: z.ZodType<GenerationInput> = z.strictObject({
  context: generationContextSchema,
  attempt: z.int().min(1),
  redo: redoSchema,
  testsSpent: z.int().min(0),
  asks: z.array(z.enum(APPROVAL_POINTS)),
  approvalKey: approvalKeySchema.nullable().optional(),
  instructions: instructionsSchema,
});

const {
  name,
  domain,
  environment,
  trainer,
  player,
  store,
  sealed_store,
  store_group_access,
  executor,
  providers,
} = campaignConfigSchema.shape;

const scopeSchema: z.ZodType<CampaignScope> = z.strictObject({
  campaign: name,
  domain,
  environment,
  trainer,
  player,
  store,
  sealedStore: sealed_store,
  storeGroupAccess: store_group_access,
  executor,
  providers,
});

const jobPlanSchema: z.ZodType<JobPlan> = z.strictObject({
  kind: z.enum(JOB_KINDS),
  seeds: seedsSchema,
  recipe: z.strictObject({ ref: artifactRefSchema, patch: jsonPatchSchema.nullable() }).nullable(),
  inputs: z.record(z.string(), z.strictObject({ ref: artifactRefSchema, tree: z.boolean() })),
  spec: z.union([
    warmupSpecSchema,
    trainSpecSchema.omit({ recipe: true }),
    rolloutSpecSchema.omit({ recipe: true }),
    evaluateSpecSchema,
  ]),
  summary: z.string(),
});

export const branchInputSchema: z.ZodType<BranchInput> = z.strictObject({
  job: z.strictObject({
    scope: scopeSchema,
    trainerDigest: sha256Schema,
    gateSecretId: sha256Schema,
    harness: artifactRefSchema,
  }),
  heartbeatTimeoutS: z.number().min(0),
  branch: z.string(),
  intervention: z.string().nullable(),
  train: z.strictObject({
    step: z.string(),
    redo: z.int().min(0),
    attempt: z.int().min(1),
    plan: jobPlanSchema,
  }),
  pause: z.enum(['drain', 'checkpoint']).nullable(),
});

export const inquiryInputSchema: z.ZodType<InquiryInput> = z.strictObject({
  scope: scopeSchema,
  context: artifactRefSchema,
  generation: z.int().min(1),
  attempt: z.int().min(1),
  redo: z.int().min(0),
  specialist: z.string(),
  amendments: z.int().min(0),
  model: z.string(),
  desk: artifactRefSchema,
  brief: artifactRefSchema,
  allotment: z.strictObject({
    tokens: z.int().min(0),
    microUsd: z.int().min(0).nullable(),
  }),
  patienceS: z.number().min(0),
  agentWaitH: z.number().min(0).nullable().default(null),
  pause: z.enum(['drain', 'checkpoint']).nullable(),
});

export const firingInputSchema = z.strictObject({
  schedule: z.string(),
  /** Its name is the schedule's; the campaign's name also holds the time of the firing. */
  config: campaignConfigSchema,
  /** True: each firing uses a seed of its own, so that it reuses no job of an earlier one. */
  freshSeed: z.boolean(),
});
export type FiringInput = z.infer<typeof firingInputSchema>;
