// Spends the epoch's chance of a false promotion over its tests, and assigns a test to each challenger.

/** A test that is reserved for one challenger before any of its problems is drawn. */
export interface Reservation {
  readonly test: number;
  readonly alpha: number;
  readonly generation: number;
  readonly challengerPolicy: string;
  readonly challengerRecipe: string;
}

/** α_t = α·6/(π²t²), whose sum over all t is α; t counts from 1. Throws a RangeError for any other t. */
export function alphaOfTest(alpha: number, test: number): number {
  if (!Number.isInteger(test) || test < 1) throw new RangeError(`tests count from 1, not ${test}`);
  return (alpha * 6) / (Math.PI ** 2 * test ** 2);
}

/**
 * The reservation of a challenger. If the same digests already have one in this generation, it is that one, so that a
 * retry gets the same problems; otherwise it is the next test of the epoch. A rejected challenger that returns later is
 * a new test.
 */
export function planReservation(input: {
  readonly reservations: readonly Reservation[];
  readonly generation: number;
  readonly challengerPolicy: string;
  readonly challengerRecipe: string;
  readonly alpha: number;
}): { readonly reservation: Reservation; readonly isNew: boolean } {
  const { reservations, generation, challengerPolicy, challengerRecipe, alpha } = input;
  const own = reservations.find(
    (one) =>
      one.generation === generation &&
      one.challengerPolicy === challengerPolicy &&
      one.challengerRecipe === challengerRecipe,
  );
  if (own) return { reservation: own, isNew: false };
  const test = 1 + Math.max(0, ...reservations.map((one) => one.test));
  const fresh = {
    test,
    alpha: alphaOfTest(alpha, test),
    generation,
    challengerPolicy,
    challengerRecipe,
  };
  return { reservation: fresh, isNew: true };
}
