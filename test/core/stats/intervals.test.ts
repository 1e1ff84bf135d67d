import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  clusteredShare,
  meanDifference,
  meanInterval,
  pairedDifference,
  shareDifference,
  summarize,
  wilson,
} from '../../../core/stats/intervals.ts';
import { normalQuantile, studentQuantile } from '../../../core/stats/quantiles.ts';
import { posterior, shrink, standardError, tauSquared } from '../../../core/stats/shrinkage.ts';

describe('quantiles', () => {
  it('agrees with the normal table', () => {
    expect(normalQuantile(0.975)).toBeCloseTo(1.959964, 5);
    expect(normalQuantile(0.95)).toBeCloseTo(1.644854, 5);
    expect(normalQuantile(0.001)).toBeCloseTo(-3.090232, 5);
  });

  it("agrees with the table of Student's t", () => {
    expect(studentQuantile(0.95, 1)).toBeCloseTo(6.3138, 3);
    expect(studentQuantile(0.95, 2)).toBeCloseTo(2.92, 3);
    expect(studentQuantile(0.975, 3) / 3.1824).toBeCloseTo(1, 2);
    expect(studentQuantile(0.95, 10)).toBeCloseTo(1.8125, 3);
  });

  it('refuses a value that is not a probability', () => {
    expect(() => normalQuantile(1)).toThrow(RangeError);
    expect(() => studentQuantile(0.5, 0)).toThrow(RangeError);
  });
});

describe('wilson', () => {
  it('agrees with published bounds', () => {
    const interval = wilson(7, 20);
    expect(interval.low).toBeCloseTo(0.1812, 3);
    expect(interval.high).toBeCloseTo(0.5671, 3);
  });

  it('needs 133 honest successes without an alarm to show at most 2 %', () => {
    expect(wilson(0, 133, 0.95, 1).high).toBeLessThanOrEqual(0.02);
    expect(wilson(0, 132, 0.95, 1).high).toBeGreaterThan(0.02);
  });

  it('contains its estimate and stays in 0…1', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (n, share) => {
          const { low, high, mean } = wilson(share * n, n);
          expect(low).toBeLessThanOrEqual(mean);
          expect(high).toBeGreaterThanOrEqual(mean);
          expect(low).toBeGreaterThanOrEqual(0);
          expect(high).toBeLessThanOrEqual(1);
        },
      ),
    );
  });
});

describe('clustered means', () => {
  it('widens a share whose samples agree within each task', () => {
    const together = clusteredShare(summarize([1, 0, 0, 0, 1, 0, 0, 0], 4));
    const spread = clusteredShare(
      summarize(
        Array.from({ length: 8 }, () => 0.25),
        4,
      ),
    );
    expect(together.high).toBeGreaterThan(spread.high);
    expect(spread.high).toBeCloseTo(wilson(8, 32).high, 10);
  });

  it('counts a share as at least as many samples as tasks', () => {
    // All samples of a task agree: the variance of n tasks, over n − 1, would make them one task fewer.
    const { low, high, n } = clusteredShare(summarize([1, 0, 0, 0, 1, 0, 0, 0], 4));
    expect(n).toBe(8);
    expect([low, high]).toEqual([wilson(2, 8).low, wilson(2, 8).high]);
  });

  it('gives no bound for one task', () => {
    expect(meanInterval(summarize([0.3])).high).toBe(Infinity);
  });

  it('pairs by position and changes sign when the sides change', () => {
    const left = [1, 0.5, 0, 1];
    const right = [0, 0.5, 0.25, 0.5];
    const forward = pairedDifference(left, right);
    const backward = pairedDifference(right, left);
    expect(forward.mean).toBeCloseTo(0.3125);
    expect(backward.low).toBeCloseTo(-forward.high);
    expect(() => pairedDifference([1], [])).toThrow(RangeError);
  });

  it('adds the variances of independent means', () => {
    const set = { mean: 0.5, sd: 0.3, n: 400, samples: 2 };
    const { high, low } = meanDifference(set, { ...set, mean: 0.4 });
    expect((high - low) / 2).toBeCloseTo(1.96 * 0.015 * Math.SQRT2, 3);
  });

  it('agrees with the example of Newcombe for independent shares', () => {
    const { low, high } = shareDifference(wilson(56, 70), wilson(48, 80));
    expect(low).toBeCloseTo(0.0524, 3);
    expect(high).toBeCloseTo(0.3339, 3);
  });
});

describe('shrinkage', () => {
  it('halves a gain whose error is as large as the spread', () => {
    expect(shrink(0.1, 0.02, 0.0004)).toBeCloseTo(0.05);
    expect(shrink(0.1, 0, 0)).toBe(0.1);
  });

  it('finds no spread if the errors explain it', () => {
    expect(
      tauSquared([
        { mean: 0.01, se: 0.05 },
        { mean: -0.01, se: 0.05 },
      ]),
    ).toBe(0);
    expect(
      tauSquared([
        { mean: 0.3, se: 0.01 },
        { mean: -0.3, se: 0.01 },
      ]),
    ).toBeCloseTo(0.1799);
  });

  it('moves a prior toward evidence, further for smaller errors', () => {
    const prior = { mean: 0.02, se: 0.05 };
    const sure = posterior(prior, [{ mean: 0.1, se: 0.01 }]);
    const unsure = posterior(prior, [{ mean: 0.1, se: 0.1 }]);
    expect(sure.mean).toBeGreaterThan(unsure.mean);
    expect(unsure.mean).toBeGreaterThan(prior.mean);
    expect(sure.se).toBeLessThan(prior.se);
    expect(standardError({ low: -0.0392, high: 0.0392 })).toBeCloseTo(0.02, 4);
  });
});
