import { describe, expect, it } from 'vitest';
import { checkComparable, identityOf } from '../../../core/gate/comparable.ts';
import { candidate, ref, sha256 } from '../ledger-fixtures.ts';
import { row } from './fixtures.ts';

const epoch = sha256('epoch');
const rowsOf = (policy: string, digest: string, under: string | null = epoch) =>
  [0, 1].map((item) => row({ policy, item, epoch: under, policy_sha256: digest }));
const incumbent = rowsOf('incumbent', ref('warm').sha256);
const compared = (own: ReturnType<typeof rowsOf>) => {
  const rows = [...incumbent, ...own];
  const branch = identityOf(rows, 'b1', epoch, candidate('policy', 'other'));
  return checkComparable(branch, identityOf(rows, 'incumbent', epoch, candidate('warm')));
};

describe('results', () => {
  it('of one epoch, each by its policy, are compared', () => {
    expect(compared(rowsOf('b1', ref('policy').sha256))).toBeNull();
  });

  it('of another epoch, or of none, are not, even if it is one row', () => {
    const own = rowsOf('b1', ref('policy').sha256);
    for (const under of [sha256('another'), null]) {
      const [first] = rowsOf('b1', ref('policy').sha256, under);
      expect(compared([...own.slice(1), ...(first ? [first] : [])])).toMatchObject({
        verdict: 'reject',
        guard: 'comparable',
        why: expect.stringContaining('different epochs'),
      });
    }
  });

  it('of another policy are not', () => {
    expect(compared(rowsOf('b1', ref('another').sha256))).toMatchObject({
      guard: 'comparable',
      why: expect.stringContaining(`of policy ${ref('another').sha256.slice(0, 12)}`),
    });
  });
});
