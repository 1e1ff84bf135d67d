// An agent's messages with the calls they make and the replies these got, whatever form the agent writes them in.

export interface AgentCall {
  readonly id: string | null;
  readonly name: string;
  /** As sent: JSON text, or the bare command. */
  readonly arguments: string;
}

export interface AgentMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
  readonly calls: readonly AgentCall[];
  /** Of a tool's reply. */
  readonly replyTo: string | null;
}

const FENCE =
  /^[ \t]*```[ \t]*(?:bash|sh|shell|console|zsh|execute_bash|mswea_bash_command)[ \t]*\n(?<code>[\s\S]*?)^[ \t]*```/gm;
const EXECUTE =
  /<execute_(?<kind>bash|ipython|python)>(?<code>[\s\S]*?)(?:<\/execute_\k<kind>>|$)/g;
const FUNCTION = /<function=(?<name>[\w.-]+)>(?<body>[\s\S]*?)(?:<\/function>|$)/g;
const PARAMETER = /<parameter=(?<name>[\w.-]+)>\n?(?<value>[\s\S]*?)\n?(?:<\/parameter>|$)/g;
const HERMES = /<tool_call>(?<json>[\s\S]*?)(?:<\/tool_call>|$)/g;
const CALLS_MAX = 64;

/** Calls that an agent without a tool interface writes into its text. */
export function callsInText(text: string): AgentCall[] {
  const called = (name: string, value: string): AgentCall => ({ id: null, name, arguments: value });
  const functions = [...text.matchAll(FUNCTION)].map(({ groups = {} }) => {
    const parameters = [...(groups['body'] ?? '').matchAll(PARAMETER)];
    const fields = parameters.map((one) => [
      one.groups?.['name'] ?? '',
      one.groups?.['value'] ?? '',
    ]);
    return called(groups['name'] ?? '', JSON.stringify(Object.fromEntries(fields)));
  });
  if (functions.length > 0) return functions.slice(0, CALLS_MAX);
  const hermes = [...text.matchAll(HERMES)].map(({ groups = {} }) =>
    hermesCall(groups['json'] ?? ''),
  );
  if (hermes.length > 0) return hermes.slice(0, CALLS_MAX);
  const executed = [...text.matchAll(EXECUTE)].map(({ groups = {} }) =>
    called(groups['kind'] === 'bash' ? 'bash' : 'python', groups['code'] ?? ''),
  );
  if (executed.length > 0) return executed.slice(0, CALLS_MAX);
  return [...text.matchAll(FENCE)]
    .map(({ groups = {} }) => called('bash', groups['code'] ?? ''))
    .slice(0, CALLS_MAX);
}

function hermesCall(json: string): AgentCall {
  const parsed = parseFields(json);
  const given = parsed?.['arguments'] ?? parsed?.['parameters'];
  const name = parsed?.['name'];
  return {
    id: null,
    name: typeof name === 'string' ? name : '',
    arguments: typeof given === 'string' ? given : JSON.stringify(given ?? json),
  };
}

/** Null where the text is no JSON object. */
export function parseFields(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const parsed: unknown = JSON.parse(text);
    // Some loops encode the arguments twice.
    if (typeof parsed === 'string' && /^\s*\{/.test(parsed)) return parseFields(parsed);
    const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
    return isObject ? Object.fromEntries(Object.entries(parsed)) : null;
  } catch {
    return null;
  }
}

/** The reply of each call, by its id, else by its place among the replies that follow; null where none came. */
export function repliesOf(messages: readonly AgentMessage[]): Map<AgentCall, string | null> {
  const replies = new Map<AgentCall, string | null>();
  const byId = new Map<string, string>();
  for (const { role, replyTo, text } of messages) {
    if (role === 'tool' && replyTo !== null && !byId.has(replyTo)) byId.set(replyTo, text);
  }
  for (const [at, { role, calls }] of messages.entries()) {
    if (role !== 'assistant' || calls.length === 0) continue;
    const following: string[] = [];
    for (const after of messages.slice(at + 1, at + 1 + 2 * CALLS_MAX)) {
      if (after.role === 'assistant') break;
      if (after.role !== 'system') following.push(after.text);
    }
    for (const [place, call] of calls.entries()) {
      const own = call.id === null ? undefined : byId.get(call.id);
      replies.set(call, own ?? (call.id === null ? following[place] : undefined) ?? null);
    }
  }
  return replies;
}
