// The durable steps of a generation, in the order in which they run. `retry --from` raises `redo` along it.

export const STEPS = [
  'rollout',
  'diagnose',
  'revise',
  'propose',
  'backtest',
  'train',
  'screen',
  'promote',
  'accumulate',
] as const;
export type StepName = (typeof STEPS)[number];
