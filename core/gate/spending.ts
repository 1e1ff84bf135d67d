// Spends a family's chance of a false promotion over its tests.

/** α_t = α·6/(π²t²), whose sum over all t is α; t counts from 1. Throws a RangeError for any other t. */
export function alphaOfTest(alpha: number, test: number): number {
  if (!Number.isInteger(test) || test < 1) throw new RangeError(`tests count from 1, not ${test}`);
  return (alpha * 6) / (Math.PI ** 2 * test ** 2);
}
