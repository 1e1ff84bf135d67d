// How long an inquiry waits for a provider that is limited or absent.

const FIRST_MS = 2000;
const LONGEST_MS = 15 * 60_000;
/** Replies of one turn that were lost and perhaps charged. */
const LOST_MAX = 3;

/** Null when patience is spent. `tries` counts the failures in a row with this one. */
export function nextWaitMs(given: {
  readonly tries: number;
  readonly lost: number;
  readonly waitS: number | null;
  readonly waitedMs: number;
  readonly patienceMs: number;
}): number | null {
  const { tries, lost, waitS, waitedMs, patienceMs } = given;
  if (lost >= LOST_MAX) return null;
  // At least as long as without an answer, so that a provider that always asks for a second is not asked forever.
  const wait = Math.max((waitS ?? 0) * 1000, FIRST_MS * 2 ** (tries - 1));
  const waitMs = Math.min(LONGEST_MS, wait);
  return waitedMs + waitMs > patienceMs ? null : waitMs;
}
