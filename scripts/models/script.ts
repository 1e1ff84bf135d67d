// The script of a scripted language model: rules in order, of which the first that fits a request answers it.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { parseYamlText } from '../../infra/user-files/parse-yaml-text.ts';

const callSchema = z.strictObject({
  tool: z.string(),
  input: z.union([z.string().describe('sent as it is'), z.record(z.string(), z.json())]),
});

const faultSchema = z.strictObject({
  status: z.int().min(200).max(599).default(200),
  headers: z.record(z.string(), z.string()).default({}),
  body: z.string().default('').describe('{key} is replaced by the key of the request'),
  bytes: z.int().min(0).default(0).describe('sends that many bytes of a valid reply'),
  cut: z.boolean().default(false).describe('closes the connection within the body'),
  stall: z.boolean().default(false).describe('sends the headers and nothing more'),
  never: z.boolean().default(false).describe('does not answer at all'),
});

const ruleSchema = z.strictObject({
  when: z
    .strictObject({
      specialist: z.string().optional(),
      generation: z.int().optional(),
      turn: z.int().optional(),
      contains: z.string().optional().describe('anywhere in the request'),
    })
    .prefault({}),
  times: z.int().min(1).optional().describe('afterwards the rule no longer fits'),
  text: z.string().nullable().default(null),
  calls: z.array(callSchema).default([]),
  finish: z.enum(['stop', 'tool_calls', 'length', 'content_filter']).optional(),
  model: z.string().optional(),
  usage: z.record(z.string(), z.json()).nullable().optional().describe('null = none is reported'),
  fault: faultSchema.optional(),
});
export type Rule = z.infer<typeof ruleSchema>;

const scriptSchema = z.strictObject({ replies: z.array(ruleSchema).min(1) });

/** Throws with file and line. */
export function readScript(path: string): Rule[] {
  const parsed = parseYamlText(readFileSync(path, 'utf8'));
  if ('problem' in parsed) throw new Error(`${path}:${parsed.line}: ${parsed.problem}`);
  return scriptSchema.parse(parsed.value).replies;
}

export const parseRules = (rules: unknown): Rule[] =>
  scriptSchema.parse({ replies: rules }).replies;

/** What a rule can ask of a request. */
export interface AskedTurn {
  readonly specialist: string | null;
  readonly generation: number | null;
  readonly turn: number;
  readonly text: string;
}

export const fitsRule = ({ when }: Rule, asked: AskedTurn): boolean =>
  (when.specialist === undefined || when.specialist === asked.specialist) &&
  (when.generation === undefined || when.generation === asked.generation) &&
  (when.turn === undefined || when.turn === asked.turn) &&
  (when.contains === undefined || asked.text.includes(when.contains));
