import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calibrationEvidence, findDrift } from '../../../core/backtest/drift.ts';
import type { BacktestKind } from '../../../core/backtest/vocabulary.ts';

const residuals = (generations: readonly (readonly number[])[], operator = 'kl_up') =>
  generations.flatMap((own, index) =>
    own.map((z) => ({
      generation: index + 1,
      operator,
      kinds: ['reward-rescoring'] as BacktestKind[],
      z,
    })),
  );

/** Mulberry32 and Box–Muller: the same normal draws in every run. */
function normals(seed: number): () => number {
  let state = seed;
  const uniform = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (((t ^ (t >>> 14)) >>> 0) + 0.5) / 4_294_967_296;
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

/** Share of campaigns with 20 generations of 3 branches that are ever reported as drifting, checked after each one. */
function alarmShare(shift: number, spread: number, shared: number): number {
  const draw = normals(11);
  const campaigns = Array.from({ length: 2000 }, () => {
    const played: number[][] = [];
    return Array.from({ length: 20 }).some(() => {
      const control = draw();
      const own = () => Math.sqrt(shared) * control + Math.sqrt(1 - shared) * draw();
      played.push([own(), own(), own()].map((z) => shift + spread * z));
      return calibrationEvidence(played) >= 100;
    });
  });
  return campaigns.filter(Boolean).length / campaigns.length;
}

describe('the evidence of drift', () => {
  it('raises an alarm in fewer than one of a hundred sound campaigns, however often it is checked', () => {
    expect(alarmShare(0, 1, 0)).toBeLessThan(0.01);
    // Branches share one control, so their residuals are correlated.
    expect(alarmShare(0, 1, 0.5)).toBeLessThan(0.01);
  });

  it('finds forecasts with an error of one standard error, and intervals of half the correct width', () => {
    expect(alarmShare(-1, 1, 0.5)).toBeGreaterThan(0.95);
    expect(alarmShare(0, 2, 0.5)).toBeGreaterThan(0.95);
  });

  it('is 1 without a residual and does not depend on the order of generations', () => {
    expect(calibrationEvidence([])).toBe(1);
    const series = fc.array(
      fc.array(fc.double({ min: -4, max: 4, noNaN: true }), { maxLength: 4 }),
    );
    fc.assert(
      fc.property(series, (played) => {
        const [there, back] = [played, played.toReversed()].map(calibrationEvidence);
        expect(there).toBeCloseTo(back ?? Number.NaN, 6 - Math.ceil(Math.log10(1 + (there ?? 0))));
      }),
    );
  });
});

describe('a drifting backtest', () => {
  it('is reported for all branches, for its kind and for its operator, with its figures', () => {
    const [all, kind, operator, more] = findDrift(residuals([[-2.5], [-3], [-2.8]]));
    expect([all?.of, kind?.of, operator?.of]).toEqual([
      'all',
      'kind reward-rescoring',
      'operator kl_up',
    ]);
    expect(more).toBeUndefined();
    expect(all).toMatchObject({ n: 3, meanZ: (-2.5 - 3 - 2.8) / 3 });
    expect(all?.why).toBe(
      'Backtest forecasts are too high on average (mean standardized residual -2.77, 3 branches)',
    );
  });

  it('is reported when its evidence reaches a hundred', () => {
    const draw = normals(5);
    const series = Array.from({ length: 300 }, (_, index) =>
      Array.from({ length: 5 }, () => [draw() - index / 100, draw() - index / 100]),
    );
    const drifting = series.map((played) => findDrift(residuals(played)).length > 0);
    expect(drifting).toEqual(series.map((played) => calibrationEvidence(played) >= 100));
    expect(new Set(drifting).size).toBe(2);
  });

  it('needs three residuals, however large they are', () => {
    expect(findDrift(residuals([[-9], [-9]]))).toEqual([]);
  });

  it('is distinguished from one whose intervals are only too narrow', () => {
    const [all] = findDrift(residuals([[4], [-4], [4.1], [-4.1]]));
    expect(all?.why).toContain('overconfident');
  });

  it('is not reported for branches that were never measured', () => {
    const unseen = residuals([[0], [0], [0]]).map((one) => ({ ...one, z: null }));
    expect(findDrift(unseen)).toEqual([]);
  });

  it('for one operator does not count against another', () => {
    const bad = residuals([[-3], [-3], [-3]], 'kl_up');
    const good = residuals([[0.1], [-0.2], [0.3]], 'strict');
    const names = findDrift([...bad, ...good]).map(({ of }) => of);
    expect(names).toContain('operator kl_up');
    expect(names).not.toContain('operator strict');
  });
});
