// Fisher's exact test for two shares of few cases.

/** log n! as a plain sum, because the counts are branches of a campaign and small. */
const logFactorial = (n: number): number => {
  let sum = 0;
  for (let k = 2; k <= n; k += 1) sum += Math.log(k);
  return sum;
};

const logChoose = (n: number, k: number): number =>
  logFactorial(n) - logFactorial(k) - logFactorial(n - k);

/**
 * One-sided: the probability of `hits` or more among the first `of`, given all hits, if both groups are alike.
 * Source: Fisher (1935); hypergeometric tail.
 */
export function fisherExact(table: {
  readonly hits: number;
  readonly of: number;
  readonly otherHits: number;
  readonly otherOf: number;
}): number {
  const { hits, of, otherHits, otherOf } = table;
  const all = hits + otherHits;
  const total = logChoose(of + otherOf, all);
  let tail = 0;
  for (let k = hits; k <= Math.min(of, all); k += 1) {
    if (all - k <= otherOf)
      tail += Math.exp(logChoose(of, k) + logChoose(otherOf, all - k) - total);
  }
  return Math.min(1, tail);
}
