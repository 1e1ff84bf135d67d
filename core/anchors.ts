// Compares a ledger and its register with what they were when their heads were kept outside the store.
import { canonicalJson } from './canonical-json.ts';
import { entriesOf, type Linked, type Sha256 } from './ledger.ts';
import type { Anchor } from './schemas/anchor.ts';
import type { RegisteredTest } from './schemas/register.ts';

export interface Anchored {
  readonly records: readonly Linked[];
  /** Of the family, by number; empty before calibration. */
  readonly tests: readonly RegisteredTest[];
}

/** The head as it is now; null for a ledger without entries. */
export function anchorOf({ records, tests }: Anchored, at: string, sha256: Sha256): Anchor | null {
  const last = records.at(-1);
  if (last === undefined) return null;
  const isCalibrated = entriesOf(records, 'calibrated').length > 0;
  const { campaign, number: entry } = last.entry;
  const register = isCalibrated ? { tests: tests.length, digest: digestOf(tests, sha256) } : null;
  return { version: 1, at, campaign, entry, hash: last.hash, register };
}

/** One sentence for each anchor that the archive contradicts. Ledger and register may only have grown since. */
export const findRewritten = (
  anchors: readonly Anchor[],
  { records, tests }: Anchored,
  sha256: Sha256,
): string[] =>
  anchors.flatMap(({ at, entry, hash, register }) => {
    const found = records.find((record) => record.entry.number === entry);
    const problems =
      found === undefined
        ? [`entry ${entry}, which was there on ${at}, is missing`]
        : found.hash === hash
          ? []
          : [`entry ${entry} is not the one of ${at}: the ledger was written anew up to there`];
    if (register === null) return problems;
    const same = digestOf(tests.slice(0, register.tests), sha256) === register.digest;
    return same
      ? problems
      : [...problems, `the register's first ${register.tests} tests are not those of ${at}`];
  });

const digestOf = (tests: readonly RegisteredTest[], sha256: Sha256): string =>
  sha256(canonicalJson(tests));
