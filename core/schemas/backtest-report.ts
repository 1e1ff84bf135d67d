// What backtest stores: every figure of every kind for every intervention. Read by report and people; the ledger has the gist.
import { z } from 'zod';
import { BACKTEST_KINDS } from '../backtest/vocabulary.ts';
import { estimateSchema } from './forecast.ts';

const findingSchema = z.strictObject({
  kind: z.enum(BACKTEST_KINDS),
  shows: z.string(),
  cannotShow: z.string(),
  figures: z.record(z.string(), z.number().nullable()),
  says: z.string(),
  rejected: z.string().nullable().describe('why the archive refuses it'),
});

const outcomeSchema = z.strictObject({
  id: z.string(),
  operator: z.string(),
  needsBranch: z
    .string()
    .nullable()
    .describe('why the archive cannot tell; null = it was replayed'),
  findings: z.array(findingSchema),
  archive: estimateSchema
    .nullable()
    .describe('gain on the oracle from choosing by the new reward; null = no label'),
  expected: estimateSchema.describe('effect on the true score on SELECT, by which it is ranked'),
  foreseen: estimateSchema.describe('the same for one branch, with the spread between branches'),
  rejected: z.string().nullable(),
});
export type BacktestOutcome = z.infer<typeof outcomeSchema>;

export const backtestReportSchema = z.strictObject({
  version: z.literal(1),
  generation: z.int().min(1),
  modelSd: z.number().describe('what an archive of the old policy was taken not to know, in score'),
  outcomes: z.array(outcomeSchema),
  survivors: z.array(z.string()),
  rejected: z.array(z.strictObject({ id: z.string(), why: z.string() })),
});
export type BacktestReport = z.infer<typeof backtestReportSchema>;
