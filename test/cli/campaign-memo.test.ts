import { expect, test } from 'vitest';
import { hasOtherProblems, memoOf } from '../../cli/campaign-memo.ts';
import { campaignStart } from '../../core/campaign.ts';
import { type Staged, stagedSchema } from '../../core/schemas/staged.ts';
import { config } from '../core/campaign-fixtures.ts';
import { sha256 } from '../core/ledger-fixtures.ts';

const stagedWith = (train: string): Staged => {
  const ref = (text: string) => ({ root: 'open', sha256: sha256(text), sizeBytes: 1 });
  const one = ref('rows');
  return stagedSchema.parse({
    tasks: { train: ref(train), diag: one, select: one, promotion: one, final: one },
    counts: { train: 1, diag: 1, select: 1, promotion: 1, final: 1 },
    promotion_index: one,
  });
};

test('a running campaign tells whether the file has other problems by now', () => {
  const started = { ...config, staged: stagedWith('rows') };
  const memo = memoOf(campaignStart(started, 'd', new Date(0)));
  expect(hasOtherProblems(memo, started)).toBe(false);
  expect(hasOtherProblems(memo, { staged: stagedWith('more rows') })).toBe(true);
  const drawn = memoOf(campaignStart(config, 'd', new Date(0)));
  expect(drawn).not.toBeNull();
  expect(hasOtherProblems(drawn, config)).toBe(false);
});
