// Evidence that an effect is above 0 on average, from repeated measurements whose spread is unknown.
//
// H0: each measurement x, given those before it, is symmetric about a value ≤ 0. Then for every weight λ ≥ 0
//   E 2/(1 + e^(−2λx)) ≤ 1,
// because the two values at ±x add up to 2 and the factor rises with x. So the product over measurements is a
// non-negative supermartingale, also if λ depends on the measurement's own standard error, and so is the mean of
// several products: P(it ever reaches 1/α) ≤ α. Neither the spread nor a normal distribution is assumed. If branch and
// control are trained alike, they can be exchanged, and their difference is symmetric however skewed trainings are.
// Sources: de la Peña (1999), "A general class of exponential inequalities for martingales and ratios"; Ramdas et al.
// (2020), "Admissible anytime-valid sequential inference must rely on nonnegative martingales", section on symmetry.
import type { Estimate } from './shrinkage.ts';

/**
 * True gains, and spreads between trainings, in score. The weights gain/(se² + spread²) have the most power where these
 * are right. Where they are wrong, the test has less power and stays valid.
 */
const EXPECTED = [
  { gain: 0.02, spread: 0.02 },
  { gain: 0.05, spread: 0.05 },
];

/** The e-value of measurements: at most doubled by one more, below 1 where the effects speak against a gain. */
export function signEvidence(effects: readonly Estimate[]): number {
  const products = EXPECTED.map(({ gain, spread }) =>
    effects.reduce((product, { mean, se }) => {
      const weight = gain / (se ** 2 + spread ** 2);
      return (product * 2) / (1 + Math.exp(-2 * weight * mean));
    }, 1),
  );
  return products.reduce((sum, product) => sum + product, 0) / products.length;
}
