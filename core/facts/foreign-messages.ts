// Chat messages of any agent in one form, and the turns of the trajectory table that they become.
import type { ForeignMessage } from '../schemas/agent-trajectory.ts';
import type { Turn } from '../schemas/trajectory.ts';
import { type AgentCall, type AgentMessage, parseFields, repliesOf } from './agent-log.ts';
import { callsInText, callsWithin } from './calls-in-text.ts';
import { readReply } from './reply.ts';

const ROLES: Readonly<Record<string, AgentMessage['role']>> = {
  system: 'system',
  developer: 'system',
  assistant: 'assistant',
  ai: 'assistant',
  model: 'assistant',
  tool: 'tool',
  function: 'tool',
};

/** One a message, in order. Where no message makes a call, calls are looked for in the texts, unless `isPlain`. */
export function agentMessages(
  messages: readonly ForeignMessage[],
  isPlain: boolean,
): AgentMessage[] {
  const read = messages.map((message): AgentMessage => ({
    role: ROLES[message.role.toLowerCase()] ?? 'user',
    text: textOf(message),
    calls: callsOf(message),
    replyTo: message.tool_call_id ?? answeredBy(message),
  }));
  if (isPlain || read.some(({ calls }) => calls.length > 0)) return read;
  return read.map((message) =>
    message.role === 'assistant' ? { ...message, calls: callsInText(message.text) } : message,
  );
}

function textOf({ content, reasoning_content: reasoning }: ForeignMessage): string {
  const text =
    typeof content === 'string'
      ? content
      : (content ?? [])
          .map((part) => (typeof part === 'string' ? part : (part.text ?? textOfResult(part))))
          .join('');
  return reasoning ? `${reasoning}\n\n${text}` : text;
}

type Part = Exclude<ForeignMessage['content'], string | null | undefined>[number];

/** Some formats hold calls and replies as blocks of the content. */
const blocksOf = ({ content }: ForeignMessage, type: string): Exclude<Part, string>[] =>
  Array.isArray(content)
    ? content.filter((part) => typeof part !== 'string').filter((part) => part['type'] === type)
    : [];

const idOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

function answeredBy(message: ForeignMessage): string | null {
  const results = blocksOf(message, 'tool_result');
  return results.length === 1 ? idOf(results[0]?.['tool_use_id']) : null;
}

function textOfResult({ content }: Exclude<Part, string>): string {
  if (typeof content === 'string') return content;
  const parts: unknown[] = Array.isArray(content) ? content : [];
  return parts
    .map((part) =>
      typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string'
        ? part.text
        : '',
    )
    .join('');
}

function callsOf(message: ForeignMessage): AgentCall[] {
  const { tool_calls: calls, function_call: call } = message;
  const all = [
    ...(calls ?? []).map((one) => ({ id: one.id ?? null, called: one.function ?? one })),
    ...(call ? [{ id: null, called: call }] : []),
    ...blocksOf(message, 'tool_use').map((block) => ({
      id: idOf(block['id']),
      called: { name: idOf(block['name']), arguments: block['input'] },
    })),
  ];
  return all.flatMap(({ id, called }): AgentCall[] => {
    const given = called.arguments;
    return callsWithin({
      id,
      name: called.name ?? '',
      arguments: typeof given === 'string' ? given : JSON.stringify(given ?? {}),
    });
  });
}

/** A broken call is one whose arguments begin like JSON and are none. */
const isMalformed = (call: AgentCall): boolean =>
  /^\s*[[{]/.test(call.arguments) && parseFields(call.arguments) === null;

/** One turn a message; tokens and probabilities are not told. */
export function turnsOf(messages: readonly AgentMessage[]): Turn[] {
  const callOf = new Map<string, AgentCall>();
  for (const [call, reply] of repliesOf(messages))
    if (reply !== null && call.id) callOf.set(call.id, call);
  let pending: AgentCall[] = [];
  return messages.map((message): Turn => {
    const { role, text, calls, replyTo } = message;
    if (role === 'assistant') {
      pending = [...calls];
      return turn('policy', text, {
        tool: calls.length === 0 ? null : calls.map(({ name }) => name).join(', '),
        arguments: argumentsOf(calls),
        status: calls.some(isMalformed) ? 'malformed' : 'ok',
      });
    }
    const isReply = role === 'tool' || (role === 'user' && pending.length > 0);
    const next = isReply ? pending.shift() : undefined;
    const answered = replyTo === null ? next : callOf.get(replyTo);
    const { ok, exitCode } = isReply ? readReply(text) : { ok: true, exitCode: null };
    return turn('environment', text, {
      tool: answered?.name ?? null,
      arguments: null,
      status: ok ? 'ok' : 'error',
      exit_code: exitCode,
    });
  });
}

function argumentsOf(calls: readonly AgentCall[]): string | null {
  const [only] = calls;
  if (only === undefined) return null;
  const asJson = ({ arguments: text }: AgentCall): unknown => parseFields(text) ?? text;
  if (calls.length > 1) return JSON.stringify(calls.map(asJson));
  return parseFields(only.arguments) === null ? JSON.stringify(only.arguments) : only.arguments;
}

const turn = (
  role: Turn['role'],
  text: string,
  more: Pick<Turn, 'tool' | 'arguments' | 'status'> & { readonly exit_code?: number | null },
): Turn => ({
  role,
  text,
  exit_code: null,
  ...more,
  tokens: null,
  mean_logprob: null,
  entropy: null,
  forced: role === 'environment',
});
