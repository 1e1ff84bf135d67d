import { describe, expect, test } from 'vitest';
import { nearest } from '../../cli/nearest.ts';

describe('the nearest name', () => {
  test.each([
    ['optimzer', 'optimizer'],
    ['statsu', 'status'],
    ['seeds', 'seed'],
    ['xyz', null],
  ])('of %s is %s', (word, expected) => {
    expect(nearest(word, ['optimizer', 'status', 'seed', 'name'])).toBe(expected);
  });
});
