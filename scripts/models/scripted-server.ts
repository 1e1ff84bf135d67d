// A language model that answers from a script, over real HTTP in the forms of OpenAI and Anthropic. It needs no key and
// no network, numbers its replies and keeps every request.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { type AskedTurn, fittingRule, type Rule } from './script.ts';

export interface ServedRequest {
  /** From 1, in the order of arrival. */
  readonly number: number;
  readonly asked: AskedTurn;
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
}

/** A line of a log, without the headers, which hold a key. */
export const logLine = ({ number, asked, body }: ServedRequest): string =>
  JSON.stringify({ number, asked, body });

export interface ScriptedServer {
  /** Without a path: `/v1` is OpenAI's form and Anthropic's. */
  readonly url: string;
  readonly requests: readonly ServedRequest[];
  close(): Promise<void>;
}

export async function startScriptedServer(
  rules: readonly Rule[],
  options: {
    readonly port?: number;
    /** The reply waits for it. */
    readonly onRequest?: (request: ServedRequest, response: ServerResponse) => Promise<void> | void;
  } = {},
): Promise<ScriptedServer> {
  const requests: ServedRequest[] = [];
  const used = new Map<Rule, number>();
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  const take = (asked: AskedTurn): Rule | null => {
    for (const rule of rules) {
      const times = used.get(rule) ?? 0;
      const fitting = times < (rule.times ?? Infinity) ? fittingRule(rule, asked) : null;
      if (fitting === null) continue;
      used.set(rule, times + 1);
      return fitting;
    }
    return null;
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const asked = askedOf(body);
    const served = { number: requests.length + 1, asked, body, headers: request.headers };
    requests.push(served);
    await options.onRequest?.(served, response);
    const rule = take(asked);
    if (rule === null) {
      send(response, 400, { error: { message: 'the script has no reply to this request' } });
      return;
    }
    const isAnthropic = request.url?.endsWith('/messages') ?? false;
    const reply = (isAnthropic ? anthropicReply : openAiReply)(rule, served);
    if (rule.fault === undefined) send(response, 200, reply);
    else sendFault(response, rule.fault, reply, request);
  };
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- A TCP server has such an address.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

const requestSchema = z.object({ messages: z.array(z.looseObject({ role: z.string() })) });

/** Who asks, in which generation and turn, read from the words that every brief of ours has. */
function askedOf(body: string): AskedTurn {
  const { messages } = requestSchema.parse(JSON.parse(body));
  const turn = 1 + messages.filter(({ role }) => role === 'assistant').length;
  const said = textsIn(messages).join('\n');
  const [, generation, specialist] = /Generation (\d+), specialist (\w+)\./.exec(said) ?? [];
  return {
    specialist: specialist ?? null,
    generation: generation === undefined ? null : Number(generation),
    turn,
    text: said,
  };
}

/** Every text of the messages, in their order, in whatever form they have. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function openAiReply(
  { text: content, calls, finish, model, usage }: Rule,
  { number, body }: ServedRequest,
) {
  const toolCalls = calls.map(({ tool, input }, index) => ({
    id: `call_${number}_${index}`,
    type: 'function',
    function: { name: tool, arguments: typeof input === 'string' ? input : JSON.stringify(input) },
  }));
  const reported = usage === undefined ? { ...usageOf(body, content, calls) } : usage;
  return {
    id: `reply-${number}`,
    object: 'chat.completion',
    created: 0,
    model: model ?? 'scripted',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content,
          ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
        },
        finish_reason: finish ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop'),
      },
    ],
    ...(reported === null ? {} : { usage: reported }),
  };
}

/** A token for every four bytes, so that figures look like a model's. */
const usageOf = (body: string, said: string | null, calls: Rule['calls']) => ({
  prompt_tokens: Math.ceil(body.length / 4),
  completion_tokens: Math.ceil(((said ?? '').length + JSON.stringify(calls).length) / 4),
});

const ANTHROPIC_FINISH = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  length: 'max_tokens',
  content_filter: 'refusal',
} as const;

function anthropicReply(rule: Rule, { number, body }: ServedRequest) {
  const { text: said, calls, finish, model, usage } = rule;
  const content = [
    ...(said === null ? [] : [{ type: 'text', text: said }]),
    ...calls.map(({ tool, input }, index) => ({
      type: 'tool_use',
      id: `call_${number}_${index}`,
      name: tool,
      input,
    })),
  ];
  const { prompt_tokens: input_tokens, completion_tokens: output_tokens } = usageOf(
    body,
    said,
    calls,
  );
  return {
    id: `reply-${number}`,
    type: 'message',
    role: 'assistant',
    model: model ?? 'scripted',
    content,
    stop_reason: ANTHROPIC_FINISH[finish ?? (calls.length > 0 ? 'tool_calls' : 'stop')],
    stop_sequence: null,
    ...(usage === null ? {} : { usage: usage ?? { input_tokens, output_tokens } }),
  };
}

function send(response: ServerResponse, status: number, reply: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(reply));
}

function sendFault(
  response: ServerResponse,
  fault: NonNullable<Rule['fault']>,
  reply: object,
  request: IncomingMessage,
): void {
  if (fault.never) return;
  const { authorization, 'x-api-key': apiKey } = request.headers;
  const key = authorization?.replace(/^Bearer /, '') ?? String(apiKey ?? '');
  response.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers });
  if (fault.stall) {
    response.flushHeaders();
    return;
  }
  const whole = JSON.stringify(reply);
  if (fault.cut) {
    response.write(whole.slice(0, Math.ceil(whole.length / 2)), () => response.destroy());
    return;
  }
  if (fault.bytes > 0) {
    response.end(`${' '.repeat(fault.bytes)}${whole}`);
    return;
  }
  response.end(fault.body.replaceAll('{key}', key));
}
