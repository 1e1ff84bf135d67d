// The betting e-process of the gate: evidence against "not better", computed item by item, valid at any stopping time.
//
// H0: E d ≤ δ0 for each paired difference d ∈ [−1, 1], given those before it. With y = (1+d)/2 and m = (1+δ0)/2 the
// wealth
//   W_n = Π (1 + λ_i (y_i − m)),   0 ≤ λ_i ≤ 1/m,   λ_i from the items before i,
// is a non-negative supermartingale under H0, so P(sup W ≥ 1/α) ≤ α, whatever the bets λ are. They only decide power.
//
// A bet λ earns about λ²v/2 an item where the gain is just large enough for it. So the rate r = λ²v/2 is chosen:
//   r_i = max(κ·ln(1/α)/N, (ln(1/α) − ln W)/(N − n)),   λ_i = √(2 r_i / v).
// The first rate reaches 1/α in N/κ items; the second one reaches it by item N if the wealth is behind that, as the
// hedge of a test at item N does. Source of the first, for κ = 1: Waudby-Smith and Ramdas (2024), "Estimating means of
// bounded random variables by betting", section 3.2.

/** What is fixed before the first item. */
export interface EPlan {
  readonly delta0: number;
  readonly alpha: number;
  /** N: no more items are ever played. */
  readonly itemsMax: number;
}

/** The state after n items, as plain data. It starts with `startEProcess`. */
export interface EProcess extends EPlan {
  readonly n: number;
  /** Σ y_j. */
  readonly sum: number;
  /** Σ (y_j − μ_{j−1})². */
  readonly squares: number;
  readonly logWealth: number;
  readonly logWealthMax: number;
}

/** κ: more stops earlier where the gain is large, less sees smaller gains. 1.25 loses hardly any power (docs/gate.md). */
const PACE = 1.25;
/** Weight of the first guess of mean and variance, in items, and that variance: differences of d scatter by 0.32. */
const PRIOR = { weight: 10, variance: 0.0256 };
/** Keeps the wealth above 0 after any item. */
const LARGEST_BET = 0.75;
/** A true gain is this many standard errors above what it showed in one case of thirty thousand. */
const FUTILITY_Z = 4;

export const startEProcess = (plan: EPlan): EProcess => ({
  ...plan,
  n: 0,
  sum: 0,
  squares: 0,
  logWealth: 0,
  logWealthMax: 0,
});

/** ln W at which H0 is rejected. */
const neededOf = ({ alpha }: EPlan): number => -Math.log(alpha);

/** From the first guess and the items so far. */
function momentsOf({ n, sum, squares }: EProcess) {
  const weight = PRIOR.weight + n;
  return {
    mean: (PRIOR.weight / 2 + sum) / weight,
    variance: (PRIOR.weight * PRIOR.variance + squares) / weight,
  };
}

/** The rate at which the wealth reaches its goal by the last item. */
const rateToGoal = (state: EProcess): number =>
  (neededOf(state) - state.logWealth) / Math.max(1, state.itemsMax - state.n);

/** The state after one more difference. Throws a RangeError unless −1 ≤ d ≤ 1. */
export function foldEProcess(state: EProcess, difference: number): EProcess {
  if (!(difference >= -1 && difference <= 1)) {
    throw new RangeError(`a paired difference must be in [-1, 1], not ${difference}`);
  }
  const y = (1 + difference) / 2;
  const m = (1 + state.delta0) / 2;
  const { mean, variance } = momentsOf(state);
  const rate = Math.max((PACE * neededOf(state)) / state.itemsMax, rateToGoal(state));
  const bet = Math.min(LARGEST_BET / m, Math.sqrt((2 * rate) / variance));
  const logWealth = state.logWealth + Math.log1p(bet * (y - m));
  return {
    ...state,
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
export const isRejected = (state: EProcess): boolean => state.logWealthMax >= neededOf(state);

/**
 * True if H0 is rejected and the mean of all items exceeds delta0. The second condition costs no validity and prevents
 * the same items from showing both A over B and B over A.
 */
export const isShown = (state: EProcess): boolean =>
  isRejected(state) && (2 * state.sum) / state.n - 1 > state.delta0;

/**
 * True if the items that are left would have to show a gain that is four standard errors above the gain so far, to raise
 * the wealth to 1/alpha. Stopping on it can only lose promotions, so it needs no α.
 */
export function isFutile(state: EProcess): boolean {
  if (isRejected(state)) return false;
  if (state.n >= state.itemsMax) return true;
  const m = (1 + state.delta0) / 2;
  const { mean, variance } = momentsOf(state);
  const neededGain = Math.sqrt(2 * rateToGoal(state) * variance);
  return neededGain > mean - m + FUTILITY_Z * Math.sqrt(variance / Math.max(1, state.n));
}
