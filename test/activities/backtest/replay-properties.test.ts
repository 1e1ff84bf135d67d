import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { filterOverlap } from '../../../core/backtest/filter-overlap.ts';
import { orderViolations } from '../../../core/backtest/order-violations.ts';
import { rewardRescoring } from '../../../core/backtest/reward-rescoring.ts';
import { ruleHarm } from '../../../core/backtest/rule-harm.ts';
import { makeReplayBench, pays, replay, type ReplayBench } from './hand-made-archive.ts';

let bench: ReplayBench;
beforeAll(async () => {
  bench = await makeReplayBench();
});
afterAll(async () => bench.close());

// A query takes a third of a second, so archives are many-sided and few.
const RUNS = { numRuns: 4 };
const TIMEOUT_MS = 180_000;
const quarter = fc.integer({ min: 0, max: 4 }).map((value) => value / 4);
const sample = fc.record({
  truth: fc.constantFrom(0, 0.5, 1, null),
  pay: quarter,
  x: quarter,
  y: quarter,
  turns: fc.integer({ min: 1, max: 40 }),
  truncated: fc.boolean(),
});
const archives = fc.array(fc.array(sample, { minLength: 2, maxLength: 6 }), {
  minLength: 6,
  maxLength: 24,
});
const figures = async (...given: Parameters<typeof replay>) => {
  const [kind] = given[4]?.kinds ?? [];
  return (await replay(...given)).get(kind?.kind ?? 'reward-rescoring')?.figures ?? {};
};

test(
  'the recipe unchanged changes nothing',
  async () => {
    const kinds = [rewardRescoring, orderViolations, ruleHarm, filterOverlap];
    const check = async (archive: Parameters<typeof replay>[1]) => {
      const recipe = pays({ pay: 1, x: -0.5 }, { filter: { trajectories: ['long'] } });
      const found = await replay(bench, archive, recipe, recipe, { kinds });
      expect(found.get('reward-rescoring')?.figures).toMatchObject({
        rescued: 0,
        killed: 0,
        changed: 0,
      });
      expect(found.get('reward-rescoring')?.figures['gain'] ?? 0).toBe(0);
      expect(found.get('order-violations')?.figures['rise'] ?? 0).toBe(0);
      expect(found.get('rule-harm')?.figures['harm'] ?? 0).toBe(0);
      expect(found.get('filter-overlap')?.figures).toMatchObject({ mine: 0, marginal: 0 });
    };
    await fc.assert(fc.asyncProperty(archives, check), RUNS);
  },
  TIMEOUT_MS,
);

test(
  'order violations are those of any strictly rising function of the reward',
  async () => {
    const kinds = [orderViolations];
    const rising = (sql: string) =>
      sql.replaceAll(/round\(([^\n]*?), 9\) AS (r[01])/g, 'round(exp(2 * ($1)) + ($1), 9) AS $2');
    const check = async (archive: Parameters<typeof replay>[1]) => {
      const change = [pays({ pay: 1 }), pays({ pay: 1, x: -0.5, y: 0.25 })] as const;
      const plain = await figures(bench, archive, ...change, { kinds });
      const bent = await figures(bench, archive, ...change, { kinds, edit: rising });
      for (const name of [
        'all_pairs',
        'all_at_0',
        'all_at_1',
        'right_at_0',
        'right_at_1',
        'rise',
      ]) {
        expect(bent[name]).toBe(plain[name]);
      }
    };
    await fc.assert(fc.asyncProperty(archives, check), RUNS);
  },
  TIMEOUT_MS,
);

test(
  'dead groups are those that were, less the rescued, with the killed',
  async () => {
    const check = async (archive: Parameters<typeof replay>[1]) => {
      const after = pays({ pay: 1, x: -1 }, { filter: { trajectories: ['longer'] } });
      const { dead0, dead1, rescued, killed } = await figures(
        bench,
        archive,
        pays({ pay: 1 }),
        after,
        {
          kinds: [rewardRescoring],
        },
      );
      expect(dead1).toBe((dead0 ?? 0) - (rescued ?? 0) + (killed ?? 0));
    };
    await fc.assert(fc.asyncProperty(archives, check), RUNS);
  },
  TIMEOUT_MS,
);

test(
  'a heavier weight inverts no fewer pairs that stood right, and none up to the safe one',
  async () => {
    const check = async (archive: Parameters<typeof replay>[1]) => {
      // Oracle scores as pay: nothing stands wrong before.
      const truthful = archive.map((group) =>
        group.map((one) => ({ ...one, pay: one.truth ?? 0 })),
      );
      const found = await figures(bench, truthful, pays({ pay: 1 }), pays({ pay: 1, x: -0.8 }), {
        kinds: [orderViolations],
      });
      const counts = ['0', '0_25', '0_5', '1', '2', '3', '4'].map(
        (x) => found[`right_at_${x}`] ?? 0,
      );
      expect(counts).toEqual(counts.toSorted((left, right) => left - right));
      const safe = found['right_safe'] ?? null;
      for (const [index, x] of [0, 0.25, 0.5, 1, 2, 3, 4].entries()) {
        expect((counts[index] ?? 0) > 0).toBe(safe !== null && x > safe + 1e-6);
      }
    };
    await fc.assert(fc.asyncProperty(archives, check), RUNS);
  },
  TIMEOUT_MS,
);
