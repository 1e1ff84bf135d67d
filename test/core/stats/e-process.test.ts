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
const PLAN = { delta0: 0, alpha: 0.05, itemsMax: 1200 };
const start = startEProcess(PLAN);

describe('e-process', () => {
  it('matches the formula for the first items, computed manually', () => {
    // v = 0.0256, and the rate is 1.25·ln 20/1200, above that of the goal, ln 20/1200.
    const bet = Math.sqrt((2 * 1.25 * Math.log(20)) / 1200 / 0.0256);
    const one = foldEProcess(start, 0.5);
    expect(Math.exp(one.logWealth)).toBeCloseTo(1 + bet * 0.25, 12);
    // v = (10·0.0256 + 0.25²)/11 after y = 0.75.
    const next = bet * Math.sqrt(0.0256 / ((0.256 + 0.0625) / 11));
    const two = foldEProcess(one, -1);
    expect(Math.exp(two.logWealth - one.logWealth)).toBeCloseTo(1 - next * 0.5, 12);
  });

  it('bets more where the goal is nearer in items than in wealth', () => {
    const late = { ...start, n: 1199 };
    const bet = Math.min(1.5, Math.sqrt((2 * Math.log(20)) / ((0.256 + late.squares) / 1209)));
    expect(Math.exp(foldEProcess(late, 1).logWealth)).toBeCloseTo(1 + bet * 0.5, 12);
    expect(foldEProcess(late, 1).logWealth).toBeGreaterThan(foldEProcess(start, 1).logWealth);
  });

  it('is a fair game under H0: the bet does not depend on its own item', () => {
    fc.assert(
      fc.property(differences, fc.double({ min: 0.01, max: 1, noNaN: true }), (items, d) => {
        const state = foldEProcessAll(start, items);
        const [up, down] = [d, -d].map((one) =>
          Math.exp(foldEProcess(state, one).logWealth - state.logWealth),
        );
        expect(((up ?? 0) + (down ?? 0)) / 2).toBeCloseTo(1, 10);
      }),
    );
  });

  it('is unchanged by batching', () => {
    fc.assert(
      fc.property(differences, fc.nat(), (items, at) => {
        const cut = at % (items.length + 1);
        const whole = foldEProcessAll(start, items);
        const first = foldEProcessAll(start, items.slice(0, cut));
        const resumed: typeof first = JSON.parse(JSON.stringify(first));
        expect(foldEProcessAll(resumed, items.slice(cut))).toEqual(whole);
      }),
    );
  });

  it('stays positive, and never revokes a rejection, also beyond its last item', () => {
    fc.assert(
      fc.property(
        differences,
        fc.double({ min: 0, max: 0.2, noNaN: true }),
        fc.integer({ min: 1, max: 300 }),
        (items, delta0, itemsMax) => {
          let state = startEProcess({ delta0, alpha: 0.05, itemsMax });
          let rejected = false;
          for (const item of items) {
            state = foldEProcess(state, item);
            expect(Number.isFinite(state.logWealth)).toBe(true);
            rejected ||= state.logWealth >= Math.log(20);
            expect(isRejected(state)).toBe(rejected);
          }
        },
      ),
    );
  });

  it('refuses a value that is not a paired difference', () => {
    expect(() => foldEProcess(start, Number.NaN)).toThrow(RangeError);
    expect(() => foldEProcess(start, 1.5)).toThrow(RangeError);
  });
});

describe('futility', () => {
  const repeated = (items: readonly number[], times: number) =>
    foldEProcessAll(
      startEProcess({ ...PLAN, alpha: 0.008 }),
      Array.from({ length: times }, () => items).flat(),
    );

  it('ends a test that shows no gain in two thirds of its problems, and none that has not begun', () => {
    expect(isFutile(start)).toBe(false);
    expect(isFutile(repeated([0.25, -0.25], 400))).toBe(true);
    expect(isFutile(repeated([1, -1, 0, 0], 200))).toBe(true);
  });

  it('goes on while a gain of a few points is possible', () => {
    expect(isFutile(repeated([1, -1, 0, 0], 25))).toBe(false);
    expect(isFutile(repeated([0.5, -0.5, 0.25, 0, -0.25, 0.25, 0, 0.25, -0.25, 0.25], 60))).toBe(
      false,
    );
  });

  it('never ends a rejected test, and always one without items left', () => {
    const won = repeated([1], 100);
    expect(isRejected(won)).toBe(true);
    expect(
      isFutile(
        foldEProcessAll(
          won,
          Array.from({ length: 900 }, () => -0.5),
        ),
      ),
    ).toBe(false);
    expect(isFutile({ ...start, n: 1200 })).toBe(true);
  });
});
