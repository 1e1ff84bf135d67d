// The durable steps of a generation, in the order in which they run. `retry --from` raises `redo` along it.
import type { StepName } from './schemas/messages.ts';

export type RetryStep = StepName;

export const STEP_ORDER: readonly RetryStep[] = [
  'rollout',
  'diagnose',
  'revise',
  'propose',
  'backtest',
  'train',
  'screen',
  'promote',
  'accumulate',
];
