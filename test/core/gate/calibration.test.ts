// The gate on simulated campaigns: its guarantees about false promotions and its power. Seeded; takes a few seconds.
import { describe, expect, it } from 'vitest';
import { alphaOfTest } from '../../../core/gate/spending.ts';
import { foldEProcess, isRejected, startEProcess } from '../../../core/stats/e-process.ts';
import { wilson } from '../../../core/stats/intervals.ts';
import {
  beta,
  clamp,
  type Uniform,
  normalFrom,
  uniformFrom,
} from '../../../scripts/bench/draws.ts';

const successShare = (draw: Uniform, rate: number, samples: number): number => {
  let successes = 0;
  for (let sample = 0; sample < samples; sample += 1) successes += draw() < rate ? 1 : 0;
  return successes / samples;
};

/**
 * Paired difference of one problem: success Beta around 0.4 with concentration 1.5, individual shifts of sd 0.08 around
 * the true gain. At concentration 4 (problems more alike, sd of d 0.32 instead of 0.28) the power at 800 x 4, gain
 * 0.05, alpha 0.01 is 0.89 instead of 0.95.
 */
function drawDifference(draw: Uniform, gain: number, samples: number): number {
  const rate = beta(draw, 0.6, 0.9);
  const shifted = clamp(rate + gain + 0.08 * normalFrom(draw)());
  return successShare(draw, shifted, samples) - successShare(draw, rate, samples);
}

/** The decision of the gate's main test: wealth and mean of the whole set, as in `weigh`. */
function playTest(draw: Uniform, problems: number, samples: number, gain: number, alpha: number) {
  let state = startEProcess(0);
  let used: number | null = null;
  for (let item = 1; item <= problems; item += 1) {
    state = foldEProcess(state, drawDifference(draw, gain, samples));
    if (used === null && isRejected(state, alpha)) used = item;
  }
  const crossed = used !== null;
  return { crossed, promoted: crossed && state.sum / state.n > 0.5, used: used ?? problems };
}

function power(seed: number, problems: number, gain: number, alpha: number, repeats: number) {
  const draw = uniformFrom(seed);
  const plays = Array.from({ length: repeats }, () => playTest(draw, problems, 4, gain, alpha));
  const promoted = plays.filter((one) => one.promoted).length;
  const used = plays.reduce((sum, one) => sum + one.used, 0) / repeats;
  return { promoted, crossed: plays.filter((one) => one.crossed).length, used };
}

describe('operating characteristics', () => {
  // Rows of the table in docs/gate.md, itself from 2,000 repetitions: the tolerance covers the errors of both.
  const rows = [
    { problems: 400, gain: 0.05, alpha: 0.01, power: 0.62, used: 310 },
    { problems: 800, gain: 0.05, alpha: 0.01, power: 0.95, used: 378 },
    { problems: 800, gain: 0.03, alpha: 0.01, power: 0.48, used: 642 },
  ];

  it.each(rows)('has power $power at $problems x 4, gain $gain, alpha $alpha', (row) => {
    const repeats = 300;
    const measured = power(3, row.problems, row.gain, row.alpha, repeats);
    const { low, high } = wilson(measured.promoted, repeats, 0.999);
    const published = wilson(row.power * 2000, 2000, 0.999);
    expect(high).toBeGreaterThan(published.low);
    expect(low).toBeLessThan(published.high);
    expect(Math.abs(measured.used - row.used) / row.used).toBeLessThan(0.12);
    expect(measured.promoted).toBe(measured.crossed);
  });

  it('makes no more false promotions than alpha allows', () => {
    const { promoted } = power(5, 400, 0, 0.05, 300);
    expect(wilson(promoted, 300, 0.99, 1).low).toBeLessThan(0.05);
  });

  it('keeps null campaigns of 40 useless challengers within alpha', () => {
    const draw = uniformFrom(2);
    const campaigns = 300;
    let spoilt = 0;
    for (let campaign = 0; campaign < campaigns; campaign += 1) {
      let promotions = 0;
      for (let test = 1; test <= 40; test += 1) {
        const { promoted } = playTest(draw, 50, 1, 0, alphaOfTest(0.05, test));
        promotions += promoted ? 1 : 0;
      }
      spoilt += promotions > 0 ? 1 : 0;
    }
    expect(spoilt / campaigns).toBeLessThanOrEqual(0.05);
  });
});
