import { describe, expect, it } from 'vitest';
import { decidePromotion, decideScreen } from '../../core/gate/verdict.ts';
import { verifyScreened, verifyVerdict } from '../../core/verify.ts';
import { identity, playRows, screenOf } from './gate/fixtures.ts';

describe('verify against rows', () => {
  const input = screenOf([{ rate: 0.5 }, { rate: 0.2, gamed: 0.7 }]);
  const { branches, challenger, selectMeans } = decideScreen(input);
  const body = {
    branches: branches.map(({ branch, verdict, guard, why }) => ({ branch, verdict, guard, why })),
    challenger,
    incumbentSelectMean: selectMeans['incumbent'] ?? null,
    results: [],
  };

  it('accepts a screen that follows from the rows', () => {
    expect(verifyScreened(4, body, input)).toEqual([]);
  });

  it('reports the branch whose verdict or rows were changed', () => {
    const whitewashed = body.branches.map((one) => ({
      ...one,
      verdict: 'pass' as const,
      guard: null,
    }));
    expect(verifyScreened(4, { ...body, branches: whitewashed }, input)).toMatchObject([
      { entry: 4, field: 'branches/b1' },
    ]);
    const canaryRows = input.canaryRows.map((one) => ({ ...one, visible_score: 0 }));
    expect(verifyScreened(4, body, { ...input, canaryRows }).map(({ field }) => field)).toContain(
      'branches/b1',
    );
    expect(verifyScreened(4, { ...body, challenger: 'b1' }, input)).toMatchObject([
      { field: 'challenger' },
    ]);
    expect(verifyScreened(4, { ...body, incumbentSelectMean: 0.9 }, input)).toMatchObject([
      { field: 'incumbentSelectMean' },
    ]);
  });

  it('reports the field of a verdict that does not follow from the rows', () => {
    const promotion = {
      test: 1,
      alpha: 0.03,
      delta0: 0,
      plan: { tasks: 200, samples: 2, categoryTasks: 50 },
      challenger: identity('b'),
      incumbent: identity('a'),
      rows: ['incumbent', 'challenger'].flatMap((policy, index) =>
        playRows('promotion/1', { policy, rate: 0.4 + 0.3 * index }, 200, 2, index),
      ),
      conditionalCategories: [],
      lostBefore: [],
      ancestors: [],
    };
    const decision = decidePromotion(promotion);
    const stored = {
      test: 1,
      alpha: 0.03,
      branch: 'b0',
      ...decision,
      lostCategories: [...decision.lostCategories],
      results: [],
    };
    expect(decision.verdict).toBe('promote');
    expect(verifyVerdict(6, stored, promotion)).toEqual([]);
    const better = { ...stored, difference: { ...stored.difference, mean: 0.9 } };
    expect(verifyVerdict(6, better, promotion)).toMatchObject([{ entry: 6, field: 'difference' }]);
    expect(
      verifyVerdict(6, stored, { ...promotion, rows: promotion.rows.slice(1) }).length,
    ).toBeGreaterThan(1);
  });
});
