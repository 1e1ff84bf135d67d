// The betting e-process of the gate: evidence against "not better", computed item by item, valid at any stopping time.
//
// H0: E d ≤ δ0 for paired differences d ∈ [−1, 1]. With y = (1+d)/2 and m = (1+δ0)/2 the wealth
//   W_n = Π (1 + λ_i (y_i − m)),   λ_i = clip((μ − m) / (v + (μ − m)²), 0, 1/(2m)),
// μ and v from items before i, is a non-negative supermartingale under H0, so P(sup W ≥ 1/α) ≤ α.
// Source: Waudby-Smith and Ramdas (2024), "Estimating means of bounded random variables by betting".

/** The state after n items, as plain data. It starts with `startEProcess`. */
export interface EProcess {
  readonly delta0: number;
  readonly n: number;
  readonly sum: number;
  /** Σ (y_j − μ_{j−1})². */
  readonly squares: number;
  readonly logWealth: number;
  readonly logWealthMax: number;
}

export const startEProcess = (delta0: number): EProcess => ({
  delta0,
  n: 0,
  sum: 0,
  squares: 0,
  logWealth: 0,
  logWealthMax: 0,
});

/** The state after one more difference. Throws a RangeError unless −1 ≤ d ≤ 1. */
export function foldEProcess(state: EProcess, difference: number): EProcess {
  if (!(difference >= -1 && difference <= 1)) {
    throw new RangeError(`a paired difference must be in [-1, 1], not ${difference}`);
  }
  const y = (1 + difference) / 2;
  const m = (1 + state.delta0) / 2;
  const mean = (0.5 + state.sum) / (state.n + 1);
  const variance = (0.25 + state.squares) / (state.n + 1);
  const edge = mean - m;
  const bet = Math.min(1 / (2 * m), Math.max(0, edge / (variance + edge * edge)));
  const logWealth = state.logWealth + Math.log1p(bet * (y - m));
  return {
    delta0: state.delta0,
    n: state.n + 1,
    sum: state.sum + y,
    squares: state.squares + (y - mean) ** 2,
    logWealth,
    logWealthMax: Math.max(state.logWealthMax, logWealth),
  };
}

/** The state after a batch; any split into batches gives the same state. */
export const foldEProcessAll = (state: EProcess, differences: readonly number[]): EProcess =>
  differences.reduce(foldEProcess, state);

/** True if the wealth ever reached 1/alpha: H0 is rejected at level alpha. */
export const isRejected = (state: EProcess, alpha: number): boolean =>
  state.logWealthMax >= -Math.log(alpha);

/** True if even `remaining` perfect items at the largest bet cannot raise the wealth to 1/alpha. */
export function isFutile(state: EProcess, alpha: number, remaining: number): boolean {
  const m = (1 + state.delta0) / 2;
  const most = state.logWealth + remaining * Math.log1p((1 - m) / (2 * m));
  return !isRejected(state, alpha) && most < -Math.log(alpha);
}
