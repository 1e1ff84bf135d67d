// The results that workflows accept, of each activity and of each child workflow. Whoever can complete an activity could
// send any value, and a malformed one must end in a sentence instead of a workflow task that fails forever.
import { z } from 'zod';
import { FAILURE_KINDS } from '../failure.ts';
import type {
  BranchOutcome,
  GenerationResult,
  Instructions,
  RecipeVerdict,
} from '../generation.ts';
import { answerSchema, grantedSchema } from './approval.ts';
import { artifactRefSchema, sha256Schema, stepManifestSchema } from './artifact.ts';
import { campaignConfigSchema } from './campaign-config.ts';
import { campaignStateSchema } from './campaign-state.ts';
import { finalBodies } from './final-entries.ts';
import { effectSchema } from './forecast.ts';
import { epochSchema } from './generation-context.ts';
import { generationViewSchema, testNumbersSchema } from './generation-view.ts';
import { BRANCH_DECISIONS } from './past-generation.ts';
import { askedSchema, briefedSchema, lookedSchema, NO_REPLY, spendSchema } from './inquiry.ts';
import { interventionSchema } from './intervention.ts';
import {
  BRANCH_OUTCOMES,
  candidateSchema,
  GUARDS,
  ledgerDraftSchema,
  VERDICTS,
} from './ledger-entry.ts';
import { testPoolSchema } from './pool.ts';

const guardSchema = z.enum(GUARDS).nullable();

export const instructionsSchema: z.ZodType<Instructions> = z.strictObject({
  pause: z.enum(['drain', 'checkpoint']).nullable(),
  injected: z.array(interventionSchema),
  answers: z.array(answerSchema),
  granted: grantedSchema,
});

const trainedBranchSchema = z.strictObject({
  status: z.literal('ok'),
  branch: z.string(),
  intervention: z.string().nullable(),
  candidate: candidateSchema,
  artifacts: z.strictObject({
    diag: artifactRefSchema,
    optimizerMetrics: artifactRefSchema,
    train: artifactRefSchema,
  }),
  rewardMean: z.number().nullable(),
});

export const branchOutcomeSchema: z.ZodType<BranchOutcome> = z.discriminatedUnion('status', [
  trainedBranchSchema,
  z.strictObject({
    status: z.literal('failed'),
    branch: z.string(),
    intervention: z.string().nullable(),
    kind: z.string(),
    message: z.string(),
  }),
]);

export const generationResultSchema: z.ZodType<GenerationResult> = z.strictObject({
  generation: z.int().min(1),
  incumbent: candidateSchema,
  incumbentOptimizerMetrics: artifactRefSchema.nullable(),
  harness: artifactRefSchema,
  memory: artifactRefSchema,
  skillsKnown: z.int().min(0),
  view: generationViewSchema,
  testsSpent: z.int().min(0),
  injectedUsed: z.array(z.string()),
});

export const campaignResultSchema = z.strictObject({
  how: z.enum(['finished', 'stopped', 'aborted']),
  generation: z.int().min(0),
  incumbentSelectMean: z.number().nullable(),
});

export type CampaignResult = z.infer<typeof campaignResultSchema>;

/** The detail of a failure that closes a generation or a branch. */
export const failureDetailSchema = z.object({
  step: z.string().max(200).default('generation'),
  testsSpent: z.int().min(0).default(0),
});

/** Null means that the claim was lost or paused. */
const jobOutcomeSchema = z
  .discriminatedUnion('status', [
    z.strictObject({ status: z.literal('ok'), manifest: stepManifestSchema }),
    z.strictObject({ status: z.enum(FAILURE_KINDS), message: z.string() }),
  ])
  .nullable();

/** The part of `revise`'s result that its manifest stores. */
export const revisionSummarySchema = z.strictObject({
  /** What a human should decide. */
  notices: z.array(z.string()),
  bottleneck: z.string().nullable(),
  reverted: z
    .strictObject({
      generation: z.int(),
      branch: z.string(),
      why: z.string(),
      candidate: candidateSchema,
      optimizerMetrics: artifactRefSchema.nullable(),
    })
    .nullable(),
});

const screeningSchema = z.strictObject({
  branches: z.array(
    z.strictObject({
      branch: z.string(),
      verdict: z.enum(['pass', 'reject', 'no-decision']),
      guard: guardSchema,
      why: z.string(),
      selectMean: z.number().nullable(),
      effect: effectSchema.nullable(),
      outcome: z.enum(BRANCH_OUTCOMES),
    }),
  ),
  incumbentSelectMean: z.number().nullable(),
  repeated: z.string().nullable(),
  accepted: z.string().nullable(),
  challenger: trainedBranchSchema
    .extend({
      test: z.int().min(1),
      alpha: z.number().min(0).max(1),
      pool: testPoolSchema.nullable(),
      testOfCampaign: z.int().min(0),
      reservedBy: z.string(),
      played: z.array(artifactRefSchema).nullable(),
    })
    .nullable(),
});

const recipeVerdictSchema: z.ZodType<RecipeVerdict> = z.strictObject({
  branch: z.string(),
  adopted: z.boolean(),
  why: z.string(),
  effect: effectSchema.nullable(),
});

const accumulatedSchema = z.strictObject({
  decided: z.array(
    z.strictObject({
      branch: z.string(),
      decision: z.enum(BRANCH_DECISIONS),
      guard: guardSchema,
      why: z.string(),
      effect: effectSchema.nullish(),
    }),
  ),
  incumbent: candidateSchema,
  incumbentOptimizerMetrics: artifactRefSchema.nullable(),
  memory: artifactRefSchema,
  skillsKnown: z.int().min(0),
  notices: z.array(z.string()),
  entries: z.array(artifactRefSchema),
  harness: artifactRefSchema.optional(),
});

const answeredSchema = askedSchema.extend({
  status: z.literal('answered'),
  head: artifactRefSchema,
});

const turnEndSchema = z.strictObject({
  status: z.literal('ended'),
  closed: z.enum([...NO_REPLY, 'aborted']),
  why: z.string().nullable(),
  lost: spendSchema,
});

const lookedResultSchema = lookedSchema.extend({
  head: artifactRefSchema,
  offers: artifactRefSchema.nullable(),
});

/** By the name of the activity. */
export const RESULT_SCHEMAS = {
  resolveFiring: z.strictObject({ config: campaignConfigSchema, configDigest: sha256Schema }),
  openCampaign: campaignStateSchema.nullable(),
  openGeneration: artifactRefSchema,
  prepareEpoch: z.strictObject({
    trainerDigest: sha256Schema,
    gateSecretId: sha256Schema,
    harness: artifactRefSchema,
    recipe: artifactRefSchema,
    generation: z.int().min(1),
    lineage: z.array(candidateSchema),
  }),
  calibrate: z.strictObject({ epoch: epochSchema, descendants: z.array(candidateSchema) }),
  checkInjection: z.union([
    z.strictObject({ intervention: interventionSchema }),
    z.strictObject({ reason: z.string() }),
  ]),
  submitJob: z.strictObject({ key: sha256Schema, recipe: artifactRefSchema.nullable() }),
  warmup: jobOutcomeSchema,
  rollout: jobOutcomeSchema,
  train: jobOutcomeSchema,
  evaluate: jobOutcomeSchema,
  terminateJob: z.void(),
  diagnose: z.strictObject({ health: artifactRefSchema, entry: artifactRefSchema }),
  diagnoseBranch: artifactRefSchema,
  revise: revisionSummarySchema.extend({
    harness: artifactRefSchema,
    health: artifactRefSchema,
    memory: artifactRefSchema.nullable(),
    entry: artifactRefSchema,
  }),
  gaps: briefedSchema,
  brief: briefedSchema,
  amend: briefedSchema,
  openApproval: artifactRefSchema,
  checkCode: z.boolean(),
  ask: z.discriminatedUnion('status', [
    answeredSchema,
    z.strictObject({
      status: z.literal('limited'),
      why: z.string(),
      waitS: z.number().min(0).nullable(),
      lost: spendSchema,
      losses: z.int().min(0),
    }),
    turnEndSchema,
  ]),
  endTurn: z.discriminatedUnion('status', [answeredSchema, turnEndSchema]),
  look: lookedResultSchema,
  hear: z.discriminatedUnion('status', [
    answeredSchema.extend({ looked: lookedResultSchema }),
    turnEndSchema,
    z.strictObject({ status: z.enum(['awaited', 'unreadable']) }),
  ]),
  propose: z.strictObject({ entry: artifactRefSchema, harness: artifactRefSchema.optional() }),
  backtest: z.strictObject({
    entry: artifactRefSchema,
    survivors: z.array(interventionSchema),
    repeatsControl: z.boolean(),
  }),
  screen: screeningSchema,
  promote: z.union([
    z.strictObject({ next: z.enum(['block', 'categories']) }),
    z.strictObject({
      verdict: z.strictObject({
        branch: z.string(),
        verdict: z.enum(VERDICTS),
        guard: guardSchema,
        why: z.string(),
        test: testNumbersSchema,
        lostCategories: z.array(z.string()),
      }),
      entry: ledgerDraftSchema,
    }),
  ]),
  adopt: z.strictObject({
    recipe: recipeVerdictSchema.nullable(),
    entry: ledgerDraftSchema.nullable(),
  }),
  accumulate: accumulatedSchema,
  withdraw: accumulatedSchema,
  openFinal: z.strictObject({
    jobs: z.strictObject({
      trainerDigest: sha256Schema,
      gateSecretId: sha256Schema,
      harness: artifactRefSchema,
    }),
    epoch: sha256Schema,
    generation: z.int().min(0),
    opening: z.strictObject(finalBodies['sealed-opened']),
  }),
  recordFinal: z.void(),
  appendLedger: z.void(),
  readInstructions: instructionsSchema.nullable(),
  readProgress: generationViewSchema.nullable(),
  reap: z.strictObject({
    living: z.int().min(0),
    ended: z.array(
      z.strictObject({
        campaign: z.string(),
        step: z.string(),
        key: z.string(),
        claim: z.int(),
        host: z.string(),
        why: z.string(),
      }),
    ),
    failed: z.array(z.string()),
  }),
} as const;
