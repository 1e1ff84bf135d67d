// How a generation and its branches hear the campaign: one internal signal that always carries the whole control state.
import { condition, defineSignal, setHandler } from '@temporalio/workflow';
import type { ControlState } from '../core/generation.ts';

export const controlSignal = defineSignal<[ControlState]>('control');

export interface ParentControl {
  readonly current: () => ControlState;
  pausedBy(): ControlState['pause'];
  ready(): Promise<void>;
}

/** Anybody can send the signal, and none may break the workflow. */
function isControlState(value: unknown): value is ControlState {
  const { pause, injected, messages } = { ...Object(value) };
  return (
    [null, 'drain', 'checkpoint'].includes(pause) &&
    Array.isArray(injected) &&
    Array.isArray(messages)
  );
}

/** Listens to the parent from now on; `relay` hands what was heard to this workflow's own children. */
export function listenToParent(
  initial: ControlState,
  relay?: (heard: ControlState) => Promise<void>,
): ParentControl {
  let current = initial;
  setHandler(
    controlSignal,
    async (heard) => {
      if (!isControlState(heard)) return;
      current = heard;
      await relay?.(heard);
    },
    {
      description:
        'Internal: the campaign passes on pause, resume, injections and messages. Send yours to the campaign.',
    },
  );
  return {
    current: () => current,
    pausedBy: () => current.pause,
    ready: async () => {
      await condition(() => current.pause === null);
    },
  };
}
