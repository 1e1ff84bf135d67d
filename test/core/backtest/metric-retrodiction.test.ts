import { describe, expect, it } from 'vitest';
import { isBadBranch, metricPoint, retrodict } from '../../../core/backtest/metric-retrodiction.ts';
import { fisherExact } from '../../../core/stats/fisher.ts';
import { effectEntry, ref } from '../ledger-fixtures.ts';

const point = (branch: string, value: number, isBad: boolean) => ({
  branch,
  value,
  isFlagged: value > 0.02,
  isBad,
});

/**
 * SWE-9B of the paper: v1 read the fix from history (48.80 apparent, 31.04 true); history was cleared, and use fell to
 * 0.
 */
const versions = [
  point('v1', 0.61, true),
  point('v2', 0, false),
  point('v3', 0, false),
  point('v4', 0.004, false),
  point('v8', 0, false),
];

describe('the retrodiction of a metric', () => {
  it('finds that the share of git log and git show separates the leaked version from the clean ones', () => {
    const { figures, summary, rejected } = retrodict('history_read_share', versions);
    expect(figures).toMatchObject({ bad: 1, caught: 1, good: 4, alarms: 0, separation: 1 });
    expect(figures['chance']).toBeCloseTo(0.2);
    expect(summary).toBe(
      'history_read_share raised an alert on 1 of 1 stored branches that turned out bad and on 0 of 4 good ones (probability by chance 0.20)',
    );
    expect(rejected).toBeNull();
  });

  it('finds that the score itself does not separate them: it is highest for the leaked version', () => {
    const scores = [48.8, 32.89, 33.33, 36.3, 38.16].map((value, index) => ({
      ...point(`v${index}`, value, index === 0),
      isFlagged: false,
    }));
    expect(retrodict('score', scores).figures).toMatchObject({ caught: 0, alarms: 0, chance: 1 });
  });

  it('is unknown if one side is missing', () => {
    const { figures, summary } = retrodict('x', versions.slice(1));
    expect(figures['chance']).toBeNull();
    expect(summary).toContain('too few to compare');
  });

  it('does not change under an increasing function of its values', () => {
    const bent = versions.map((one) => ({ ...one, value: Math.exp(one.value) }));
    expect(retrodict('x', bent)).toEqual(retrodict('x', versions));
  });
});

describe('a stored branch', () => {
  const branch = {
    branch: 'b1',
    operator: null,
    diag: ref('d'),
    labels: ref('l'),
    optimizerMetrics: ref('m'),
    health: ref('h'),
    effect: null,
    decision: 'keep' as const,
  };

  it('is bad if it was pruned or reverted, good if it was promoted or gained, else unknown', () => {
    expect(isBadBranch({ ...branch, decision: 'prune', effect: effectEntry })).toBe(true);
    expect(isBadBranch({ ...branch, decision: 'revert' })).toBe(true);
    expect(isBadBranch({ ...branch, decision: 'promote' })).toBe(false);
    expect(isBadBranch({ ...branch, effect: effectEntry })).toBe(false);
    expect(isBadBranch(branch)).toBeNull();
  });

  it('gives no point if the metric was not measurable', () => {
    const pruned = { ...branch, decision: 'prune' as const };
    expect(metricPoint(1, pruned, { value: null, severity: null })).toBeNull();
    expect(metricPoint(1, pruned, undefined)).toBeNull();
    expect(metricPoint(1, branch, { value: 1, severity: 'ok' })).toBeNull();
    expect(metricPoint(2, pruned, { value: 1, severity: 'warn' })).toEqual({
      branch: 'generation 2 b1',
      value: 1,
      isFlagged: true,
      isBad: true,
    });
  });
});

describe("Fisher's exact test", () => {
  it('gives the hypergeometric tail', () => {
    // The lady tasting tea: 1/70 for all four, 17/70 for three or more.
    expect(fisherExact({ hits: 4, of: 4, otherHits: 0, otherOf: 4 })).toBeCloseTo(1 / 70);
    expect(fisherExact({ hits: 3, of: 4, otherHits: 1, otherOf: 4 })).toBeCloseTo(17 / 70);
    expect(fisherExact({ hits: 0, of: 4, otherHits: 2, otherOf: 4 })).toBeCloseTo(1);
  });
});
