// What holds for every command that was given something hostile: it ends by itself with a documented code and a few
// sentences.
import { expect } from 'vitest';
import type { Ended } from './run-evo.ts';

const STACK = /^\s+at |node:internal|\.ts:\d|unexpectedly|\[object |not a function/m;
const CHARACTERS_MAX = 20_000;

export function expectPlainEnd({ code, out, err }: Ended, codes: readonly number[]): void {
  expect({ code, err: err.slice(0, 500) }).toEqual({ code: oneOf(codes), err: expect.anything() });
  expect(err).not.toMatch(STACK);
  expect(err.length).toBeLessThan(CHARACTERS_MAX);
  // Exit 1 is also for a table that lacks lines.
  if (code !== 0 && code !== 1) expect([out, err.trim()]).toEqual(['', expect.stringMatching(/./)]);
}

const oneOf = (codes: readonly number[]): unknown =>
  expect.toSatisfy((code) => codes.includes(code as number), `one of ${codes.join(', ')}`);
