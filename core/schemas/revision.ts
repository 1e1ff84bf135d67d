// What revise did, as the ledger tells it.
import { z } from 'zod';
import { sha256Schema } from './artifact.ts';

export const REVISION_AXES = [
  'metric-expansion',
  'analyzer-specialisation',
  'procedure-change',
  'review',
] as const;

/** One change of the harness that was made, refused or is asked of a human. */
export const harnessChangeSchema = z.strictObject({
  axis: z.enum(REVISION_AXES),
  name: z.string(),
  decision: z.enum([
    'provisional',
    'admitted',
    'blocking',
    'changed',
    'retired',
    'refused',
    'asked',
  ]),
  why: z.string(),
  definitions: z.array(sha256Schema).describe('what it added'),
});
export type HarnessChange = z.infer<typeof harnessChangeSchema>;

const shareSchema = z.strictObject({
  hits: z.int().min(0),
  n: z.int().min(0),
  low: z.number(),
  high: z.number(),
});

/** A mined detector against those of the catalogue that together find the same: on the admission half, of branches where there are any. */
export const keyScoreSchema = z.strictObject({
  detector: z.string(),
  keys: z.array(z.string()).describe("the catalogue's detectors, which the harness does not have"),
  onKey: shareSchema.describe('of the trajectories on which one of them fires'),
  elsewhere: shareSchema.describe('of the others'),
});
export type KeyScore = z.infer<typeof keyScoreSchema>;

/** An incumbent withdrawn, since a detector that now blocks fires on it; who holds the place again. */
export const reversionSchema = z.strictObject({
  generation: z.int().min(1).describe('in which the withdrawn one was promoted'),
  branch: z.string(),
  detectors: z.array(z.string()),
  why: z.string(),
  to: z.strictObject({
    generation: z.int().min(0),
    branch: z.string().nullable().describe('null = the warm start'),
  }),
});
export type Reversion = z.infer<typeof reversionSchema>;
