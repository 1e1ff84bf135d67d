// Instructions from a parent workflow to its open children: one internal signal that always carries all of them.
import {
  condition,
  defineSignal,
  getExternalWorkflowHandle,
  log,
  setHandler,
} from '@temporalio/workflow';
import type { Instructions } from '../core/generation.ts';

export const instructionsSignal = defineSignal<[Instructions]>('instructions');

/** The newest instructions, and the waits that depend on them. */
export interface ParentInstructions {
  readonly current: () => Instructions;
  pausedBy(): Instructions['pause'];
  /** Resolves when no pause is in force. */
  unpaused(): Promise<void>;
}

/** Anybody can send the signal, and a malformed one must not break the workflow. */
function areInstructions(value: unknown): value is Instructions {
  const { pause, injected, messages } = { ...Object(value) };
  return (
    [null, 'drain', 'checkpoint'].includes(pause) &&
    Array.isArray(injected) &&
    Array.isArray(messages)
  );
}

/** Follows the parent from now on; `relay` passes each change to this workflow's own children. */
export function followParent(
  initial: Instructions,
  relay?: (instructions: Instructions) => Promise<void>,
): ParentInstructions {
  let current = initial;
  setHandler(
    instructionsSignal,
    async (received) => {
      if (!areInstructions(received)) return;
      current = received;
      await relay?.(received);
    },
    {
      description:
        'Internal: the campaign passes on pause, resume, injections and messages. Send yours to the campaign.',
    },
  );
  return {
    current: () => current,
    pausedBy: () => current.pause,
    unpaused: async () => {
      await condition(() => current.pause === null);
    },
  };
}

/**
 * Sends instructions to a child; one that has just closed does not need them. Never throws: in a signal handler, a
 * cancellation would close the workflow at once and leave its jobs running.
 */
export async function instruct(workflowId: string, instructions: Instructions): Promise<void> {
  await getExternalWorkflowHandle(workflowId)
    .signal(instructionsSignal, instructions)
    .catch((error: unknown) => {
      log.info('a child did not receive its instructions', { workflowId, error: String(error) });
    });
}
