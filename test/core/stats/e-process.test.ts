import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  foldEProcess,
  foldEProcessAll,
  isFutile,
  isRejected,
  startEProcess,
} from '../../../core/stats/e-process.ts';

const differences = fc.array(fc.constantFrom(-1, -0.75, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 1), {
  maxLength: 200,
});

describe('e-process', () => {
  it('matches the formula for the first items, computed manually', () => {
    const one = foldEProcess(startEProcess(0), 1);
    expect(one.logWealth).toBe(0);
    // μ = 1.5/2 = 0.75, v = (0.25 + 0.25)/2 = 0.25, λ = 0.25/(0.25 + 0.0625) = 0.8.
    const two = foldEProcess(one, 0.5);
    expect(Math.exp(two.logWealth)).toBeCloseTo(1 + 0.8 * 0.25, 12);
    // After 1 and 0: μ = 2/3, v = (0.25 + 0.25 + 0.0625)/3 = 0.1875, λ = (1/6)/(0.1875 + 1/36).
    const three = foldEProcessAll(startEProcess(0), [1, 0, 1]);
    expect(Math.exp(three.logWealth)).toBeCloseTo(1 + (1 / 6 / (0.1875 + 1 / 36)) * 0.5, 12);
  });

  it('is unchanged by batching', () => {
    fc.assert(
      fc.property(differences, fc.nat(), (items, at) => {
        const cut = at % (items.length + 1);
        const whole = foldEProcessAll(startEProcess(0), items);
        const first = foldEProcessAll(startEProcess(0), items.slice(0, cut));
        const resumed: typeof first = JSON.parse(JSON.stringify(first));
        expect(foldEProcessAll(resumed, items.slice(cut))).toEqual(whole);
      }),
    );
  });

  it('stays positive, and never revokes a rejection', () => {
    fc.assert(
      fc.property(differences, fc.double({ min: 0, max: 0.2, noNaN: true }), (items, delta0) => {
        let state = startEProcess(delta0);
        let rejected = false;
        for (const item of items) {
          state = foldEProcess(state, item);
          expect(Number.isFinite(state.logWealth)).toBe(true);
          rejected ||= state.logWealth >= Math.log(20);
          expect(isRejected(state, 0.05)).toBe(rejected);
        }
      }),
    );
  });

  it('is futile only if perfect items could not help', () => {
    fc.assert(
      fc.property(differences, fc.integer({ min: 0, max: 40 }), (items, remaining) => {
        const state = foldEProcessAll(startEProcess(0), items);
        fc.pre(isFutile(state, 0.05, remaining));
        const best = foldEProcessAll(
          state,
          Array.from({ length: remaining }, () => 1),
        );
        expect(isRejected(best, 0.05)).toBe(false);
      }),
    );
  });

  it('refuses a value that is not a paired difference', () => {
    expect(() => foldEProcess(startEProcess(0), Number.NaN)).toThrow(RangeError);
    expect(() => foldEProcess(startEProcess(0), 1.5)).toThrow(RangeError);
  });
});
