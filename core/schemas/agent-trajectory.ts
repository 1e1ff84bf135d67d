// Trajectories that other agents and trainers wrote, a JSON object a line. Foreign: fields that we do not know are kept, and
// what is optional may be null or left out. docs/importing.md describes the format.
import { z } from 'zod';

const textSchema = z.union([z.string(), z.number()]).transform(String);
/** A test may be a text or an object that describes it. */
const testsSchema = z.array(
  z.union([z.string(), z.unknown().transform((value) => JSON.stringify(value) ?? '')]),
);
const idsSchema = z.array(z.string());
const contentSchema = z.union([
  z.string(),
  z.array(z.union([z.string(), z.looseObject({ text: z.string().nullish() })])),
]);
const calledSchema = z.looseObject({
  name: z.string().nullish(),
  arguments: z.unknown().optional(),
});

const messageSchema = z.looseObject({
  role: z.string(),
  content: contentSchema.nullish(),
  reasoning_content: z.string().nullish(),
  tool_calls: z
    .array(
      z.looseObject({
        id: textSchema.nullish(),
        function: calledSchema.nullish(),
        name: z.string().nullish(),
        arguments: z.unknown().optional(),
      }),
    )
    .nullish(),
  function_call: calledSchema.nullish(),
  tool_call_id: textSchema.nullish(),
  name: z.string().nullish(),
});

const outcomeSchema = z.looseObject({
  reward: z.number().nullish(),
  components: z.record(z.string(), z.number()).nullish(),
  visible_passed: z.int().min(0).nullish(),
  visible_total: z.int().min(0).nullish(),
  required: z
    .looseObject({
      passed: idsSchema.nullish(),
      failed: idsSchema.nullish(),
      skipped: idsSchema.nullish(),
      missing: idsSchema.nullish(),
      xfail: idsSchema.nullish(),
    })
    .nullish(),
  exit_code: z.int().nullish(),
  hidden_correct: z.boolean().nullish().describe('a label: detectors are measured by it'),
});

const ending = {
  stop_reason: z.string().nullish(),
  truncated: z.boolean().nullish(),
  turns: z.int().min(0).nullish(),
  completion_tokens: z.int().min(0).nullish(),
};

export const agentTrajectorySchema = z.looseObject({
  id: textSchema,
  domain: z.enum(['swe', 'code', 'math']),
  task: z
    .looseObject({
      prompt: z.string().nullish(),
      visible_tests: testsSchema.nullish(),
      protected_paths: idsSchema.nullish(),
      required_tests: idsSchema.nullish(),
    })
    .nullish(),
  messages: z.array(messageSchema),
  final: z.looseObject({ diff: z.string().nullish(), answer: textSchema.nullish() }).nullish(),
  outcome: outcomeSchema.nullish(),
  ...ending,
});
export type AgentTrajectory = z.infer<typeof agentTrajectorySchema>;
export type ForeignMessage = z.infer<typeof messageSchema>;

/** What is left of a trajectory where only a population is looked at. */
export const compactTrajectorySchema = z.looseObject({
  ...ending,
  reward: z.number().nullish(),
  components: z.record(z.string(), z.number()).nullish(),
  answer: textSchema.nullish(),
  hidden_correct: z.boolean().nullish(),
});
export type CompactTrajectory = z.infer<typeof compactTrajectorySchema>;

/** One population before and after an intervention. */
export const trajectoryGroupSchema = z.looseObject({
  id: textSchema,
  domain: z.enum(['swe', 'code', 'math']).nullish(),
  before: z.array(compactTrajectorySchema).min(1),
  after: z.array(compactTrajectorySchema).min(1),
});
export type TrajectoryGroup = z.infer<typeof trajectoryGroupSchema>;

/** Fields that a schema knows; the rest of a foreign object is `extra`. */
export const KNOWN_FIELDS = {
  trajectory: Object.keys(agentTrajectorySchema.shape),
  task: ['prompt', 'visible_tests', 'protected_paths', 'required_tests'],
  final: ['diff', 'answer'],
  outcome: Object.keys(outcomeSchema.shape),
  compact: Object.keys(compactTrajectorySchema.shape),
} as const;
