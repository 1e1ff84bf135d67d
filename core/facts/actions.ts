// The actions of a foreign agent, from its tool calls and their replies.
import type { Action } from '../schemas/trajectory.ts';
import { type AgentMessage, parseFields, repliesOf } from './agent-log.ts';
import type { ShellState } from './call.ts';
import { normalPath } from './paths.ts';
import { readReply } from './reply.ts';
import { actsOfCall } from './tool-call.ts';

/** More than any agent does within its limits. */
const ACTIONS_MAX = 5000;

/** In order; `turn` is the place of the message. Depends on the messages alone and never throws. */
export function actionsOf(messages: readonly AgentMessage[]): Action[] {
  const state: ShellState = {
    root: workspaceOf(messages),
    gitAliases: new Map(),
    variables: new Map(),
    scripts: new Map(),
  };
  const replies = repliesOf(messages);
  const calls = messages.flatMap((message, turn) => message.calls.map((call) => ({ turn, call })));
  const actions: Action[] = [];
  for (const [at, { turn, call }] of calls.entries()) {
    if (actions.length >= ACTIONS_MAX) break;
    const fields = parseFields(call.arguments);
    const isLast = at === calls.length - 1;
    const acts = actsOfCall({ name: call.name, fields, text: call.arguments, isLast }, state);
    const { ok, exitCode } = readReply(replies.get(call) ?? null);
    const isBroken = fields === null && /^\s*[[{]/.test(call.arguments);
    for (const one of acts) {
      // Tests that ran and failed were run: the tool did what it is for. So does a search without a hit.
      const isDone = ok || (exitCode === 1 && (one.kind === 'test' || one.kind === 'search'));
      actions.push({ turn, ...one, ok: isDone && !isBroken, exit_code: exitCode });
    }
  }
  return actions.slice(0, ACTIONS_MAX);
}

const SYSTEM_FOLDER = /^\/(?:tmp|usr|etc|var|opt|proc|dev|root|home|mnt|lib)?(?:\/[^/]*)?$/;

/** The shortest absolute folder that its commands enter: paths within it are told from there. '' where there is none. */
function workspaceOf(messages: readonly AgentMessage[]): string {
  let root = '';
  for (const { calls } of messages) {
    for (const { arguments: text } of calls) {
      for (const [, entered = ''] of text.matchAll(/\bcd\s+(?:\\?["'])?(\/[\w./-]+)/g)) {
        const folder = normalPath(entered);
        const isSystem = SYSTEM_FOLDER.test(folder) && !/^\/(?:root|home|opt|mnt)\/./.test(folder);
        if (!isSystem && (root === '' || folder.length < root.length)) root = folder;
      }
    }
  }
  return root;
}
