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

const CALLS_MAX = 64;

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
    if (role !== 'assistant' && replyTo !== null && !byId.has(replyTo)) byId.set(replyTo, text);
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
