// How test trajectories of agents are written down. `acts` is what each call did, as `turn kind verb paths…`, with `!` before
// what is written.

interface Call {
  readonly id?: string;
  readonly name?: string;
  readonly function?: { readonly name: string; readonly arguments: unknown };
}

export interface Agent {
  readonly name: string;
  readonly messages: readonly object[];
  readonly acts: readonly string[];
}

export const user = (content: string) => ({ role: 'user', content });
export const says = (...calls: (readonly [string, unknown])[]) => ({
  role: 'assistant',
  content: 'Let me see.',
  tool_calls: calls.map(([name, given], at): Call => ({
    id: `call_${name}_${at}`,
    function: { name, arguments: typeof given === 'string' ? given : JSON.stringify(given) },
  })),
});
export const writes = (content: string) => ({ role: 'assistant', content });
export const reply = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, content });
export const PATCH = '*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** End Patch';
