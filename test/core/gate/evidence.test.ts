import { describe, expect, it } from 'vitest';
import { pairPromotion, weigh } from '../../../core/gate/evidence.ts';
import { row } from './fixtures.ts';

const TASKS = 400;

/** One category in which the challenger wins only the first problems and the incumbent the others. */
function categoryOf(wins: number) {
  const rows = Array.from({ length: TASKS }, (_, item) => item).flatMap((item) =>
    ['challenger', 'incumbent'].map((policy) => {
      const isOwn = (policy === 'challenger') === item < wins;
      const scores = { true_score: isOwn ? 1 : 0, category: 'one' };
      return row({ stream: 'promotion/1', policy, item, ...scores });
    }),
  );
  const paired = pairPromotion(rows, 1, { tasks: TASKS, samples: 1, categoryTasks: TASKS });
  if ('fault' in paired) throw new Error(paired.fault);
  return weigh(paired, 0.05, 0).categories[0];
}

describe('a category', () => {
  // Two-sided, the bound of the first would be 0.04 - 1.96/20 = -0.058.
  it.each([
    [208, 0.04, true],
    [206, 0.03, false],
  ])('with %i wins of 400 holds by its one-sided bound', (wins, mean, holds) => {
    const loss = categoryOf(wins);
    expect(loss).toMatchObject({ category: 'one', n: TASKS, holds });
    expect(loss?.mean).toBeCloseTo(mean, 10);
    expect(loss?.low).toBeCloseTo(mean - 1.644854 / Math.sqrt(TASKS), 3);
  });
});
