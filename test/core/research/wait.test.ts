import { describe, expect, test } from 'vitest';
import { nextWaitMs } from '../../../core/research/wait.ts';

const wait = (more: object) =>
  nextWaitMs({ tries: 1, lost: 0, waitS: null, waitedMs: 0, patienceMs: 1_800_000, ...more });

describe('the wait for a provider', () => {
  test('doubles from two seconds to a quarter of an hour', () => {
    expect([1, 2, 3].map((tries) => wait({ tries }))).toEqual([2000, 4000, 8000]);
    expect(wait({ tries: 20 })).toBe(900_000);
  });

  test('is what the provider asks for, within limits', () => {
    expect(wait({ waitS: 7 })).toBe(7000);
    expect(wait({ waitS: 1, tries: 4 })).toBe(16_000);
    expect(wait({ waitS: 0 })).toBe(2000);
    expect(wait({ waitS: 86_400 })).toBe(900_000);
  });

  test('ends with patience', () => {
    expect(wait({ waitS: 60, waitedMs: 1_740_000 })).toBe(60_000);
    expect(wait({ waitS: 60, waitedMs: 1_740_001 })).toBeNull();
    expect(wait({ patienceMs: 0 })).toBeNull();
  });

  test('ends after three replies that were lost and perhaps charged', () => {
    expect(wait({ lost: 2 })).toBe(2000);
    expect(wait({ lost: 3 })).toBeNull();
  });
});
