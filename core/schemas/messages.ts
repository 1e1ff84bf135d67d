// Payloads of signals and updates: the messages by which people control a campaign.
import { z } from 'zod';
import { STEPS } from '../steps.ts';
import { countTo, GENERATIONS_MAX } from './limits.ts';

const envelope = {
  id: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('a message with an id that was received before is ignored'),
  by: z.string().min(1).max(100).optional().describe('sender'),
};

const patchOperation = z.strictObject({
  op: z.enum(['add', 'replace', 'remove']),
  path: z.string().startsWith('/').max(200),
  value: z.json().optional(),
});

/** The fields that a person gives; id, factor, rollback, evidence and proposer are derived. */
export const injectedInterventionSchema = z
  .strictObject({
    operator: z.string().max(100).optional(),
    patch: z.array(patchOperation).min(1).max(16).optional(),
    hypothesis: z.string().min(1).max(2000),
    successCriterion: z.string().max(500).optional(),
  })
  .refine((value) => (value.operator === undefined) !== (value.patch === undefined), {
    message: 'give exactly one of operator and patch',
  });
export type InjectedIntervention = z.infer<typeof injectedInterventionSchema>;

export const MESSAGE_SCHEMAS = {
  pause: z.strictObject({
    ...envelope,
    mode: z.enum(['drain', 'checkpoint']).default('drain'),
    reason: z.string().max(2000).optional(),
  }),
  resume: z.strictObject({ ...envelope }),
  inject: z.strictObject({
    ...envelope,
    intervention: injectedInterventionSchema,
    generation: countTo(GENERATIONS_MAX).optional(),
  }),
  retry: z.strictObject({
    ...envelope,
    from: z.enum(STEPS).optional(),
    reason: z.string().max(2000).optional(),
  }),
  skip: z.strictObject({ ...envelope, reason: z.string().min(1).max(2000) }),
  stop: z.strictObject({ ...envelope }),
  abort: z.strictObject({ ...envelope, reason: z.string().min(1).max(2000) }),
} as const;

export type MessageName = keyof typeof MESSAGE_SCHEMAS;
/** A message as a client passes it to a signal or an update. */
export type MessageInput<Name extends MessageName> = z.input<(typeof MESSAGE_SCHEMAS)[Name]>;

/** A message with its name, for code that handles all of them. */
export const messageSchema = z.discriminatedUnion('name', [
  MESSAGE_SCHEMAS.pause.extend({ name: z.literal('pause') }),
  MESSAGE_SCHEMAS.resume.extend({ name: z.literal('resume') }),
  MESSAGE_SCHEMAS.inject.extend({ name: z.literal('inject') }),
  MESSAGE_SCHEMAS.retry.extend({ name: z.literal('retry') }),
  MESSAGE_SCHEMAS.skip.extend({ name: z.literal('skip') }),
  MESSAGE_SCHEMAS.stop.extend({ name: z.literal('stop') }),
  MESSAGE_SCHEMAS.abort.extend({ name: z.literal('abort') }),
]);
export type NamedMessage = z.infer<typeof messageSchema>;
