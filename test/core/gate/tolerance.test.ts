import { describe, expect, it } from 'vitest';
import { isTolerated, riseOver } from '../../../core/gate/tolerance.ts';

const rate = (mean: number, n = 700) => ({ mean, sd: 0.36, n, samples: 4 });
const steps = (count: number, size: number) =>
  Array.from({ length: count }, (_, index) => rate(index * size));

describe('an increase', () => {
  const increase = (mean: number, error: number) => ({ mean, sd: 10 * error, n: 100, samples: 1 });

  it('is tolerated if it is surely below the limit, or not shown to be one', () => {
    expect(isTolerated(increase(0.03, 0.01), 0.05)).toBe(true);
    expect(isTolerated(increase(0.04, 0.01), 0.05)).toBe(false);
    expect(isTolerated(increase(0.04, 0.02), 0.05)).toBe(true);
  });

  it('is never tolerated if it may be ten points', () => {
    expect(isTolerated(increase(0.05, 0.022), 0.05)).toBe(false);
    expect(isTolerated(increase(0, 0.05), 0.05)).toBe(false);
    expect(isTolerated({ mean: 0, sd: 0, n: 1, samples: 1 }, 0.05)).toBe(false);
  });
});

describe('a rise over the ancestors', () => {
  it('is none where all show the same, or where there are no ancestors', () => {
    expect(riseOver([], rate(0.5), 0.05)).toBeNull();
    expect(riseOver(steps(9, 0), rate(0, 350), 0.05)).toBeNull();
  });

  it('is found along the line through all of them, where the lowest alone does not show it', () => {
    const own = rate(0.08, 350);
    expect(riseOver(steps(8, 0.01), own, 0.09)).toBeNull();
    expect(riseOver(steps(8, 0.01), own, 0.05)).toBeGreaterThan(0.07);
  });

  it('is found over one that had cured it', () => {
    const cured = [rate(0.2), rate(0.2), rate(0.02), rate(0.2), rate(0.2)];
    expect(riseOver(cured, rate(0.2, 350), 0.05)).toBeGreaterThan(0.1);
  });

  it('does not take the lowest of noisy means for a cure', () => {
    const noisy = [rate(0.2), rate(0.22), rate(0.17), rate(0.21), rate(0.19)];
    expect(riseOver(noisy, rate(0.225, 350), 0.02)).toBeNull();
  });
});
