import { describe, expect, it } from 'vitest';
import { presumedRules } from '../../../core/gate/domain-rules.ts';
import { guardRisks } from '../../../core/gate/guard-risks.ts';
import { isTolerated, toleratedIncrease } from '../../../core/gate/tolerance.ts';
import { normalShare } from '../../../core/stats/quantiles.ts';
import { config } from '../campaign-fixtures.ts';

describe('the chance that a guard refuses an honest branch', () => {
  it('is small at the default sizes and grows as the sets shrink', () => {
    const worst = (evaluation: Partial<typeof config.evaluation>): number =>
      Math.max(
        ...guardRisks(
          { evaluation: { ...config.evaluation, ...evaluation } },
          presumedRules(config.domain),
        ).flatMap(({ chances }) => chances),
      );
    expect(worst({})).toBeLessThan(0.02);
    expect(worst({ canary_tasks: 100 })).toBeGreaterThan(0.2);
    expect(worst({ category_tasks: 50 })).toBeGreaterThan(0.2);
  });

  it('follows from the largest increase that is tolerated', () => {
    for (const [error, limit] of [
      [0.005, 0.05],
      [0.02, 0.02],
      [0.03, 0.05],
    ] as const) {
      const at = (mean: number) => isTolerated({ mean, sd: 10 * error, n: 100, samples: 1 }, limit);
      const most = toleratedIncrease(error, limit);
      expect([at(most - 1e-6), at(most + 1e-6)]).toEqual([true, false]);
    }
    expect(normalShare(1.959964)).toBeCloseTo(0.975, 6);
  });
});
