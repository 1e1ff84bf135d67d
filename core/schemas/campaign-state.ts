// The state of a campaign, as continue-as-new carries it and as `openCampaign` folds it from the ledger.
import { z } from 'zod';
import type { CampaignState } from '../campaign.ts';
import { STEPS } from '../steps.ts';
import { answerSchema, grantedSchema } from './approval.ts';
import { artifactRefSchema } from './artifact.ts';
import { epochSchema } from './generation-context.ts';
import { generationViewSchema } from './generation-view.ts';
import { interventionSchema } from './intervention.ts';
import { candidateSchema, ledgerDraftSchema } from './ledger-entry.ts';

const count = z.int().min(0);

/** How often a human had each step run anew. */
export const redoSchema = z.partialRecord(z.enum(STEPS), count);

export const campaignStateSchema: z.ZodType<CampaignState> = z.strictObject({
  phase: z.enum([
    'calibrating',
    'evolving',
    'paused',
    'awaiting',
    'parked',
    'finished',
    'stopped',
    'aborted',
  ]),
  epoch: epochSchema.nullable(),
  generation: count,
  attempt: z.int().min(1),
  redo: redoSchema,
  incumbent: candidateSchema.nullable(),
  incumbentOptimizerMetrics: artifactRefSchema.nullable(),
  harness: artifactRefSchema.nullable(),
  memory: artifactRefSchema.nullable(),
  skillsKnown: count,
  testsSpent: count,
  pause: z
    .strictObject({
      mode: z.enum(['drain', 'checkpoint']),
      reason: z.string().nullable(),
      by: z.string().nullable(),
    })
    .nullable(),
  parked: z.strictObject({ generation: count, step: z.string(), reason: z.string() }).nullable(),
  injected: z.array(
    z.strictObject({ intervention: interventionSchema, generation: count.nullable() }),
  ),
  answers: z.array(answerSchema),
  granted: grantedSchema,
  messages: z.array(
    z.strictObject({
      message: z.string(),
      id: z.string(),
      by: z.string().nullable(),
      accepted: z.boolean(),
      reason: z.string().nullable(),
    }),
  ),
  messageCount: count,
  messagesDropped: count,
  droppedRecorded: count,
  heardIds: z.array(z.string()),
  drafts: z.array(ledgerDraftSchema),
  stopRequested: z.boolean(),
  aborting: z.string().nullable(),
  generations: z.array(generationViewSchema),
});
