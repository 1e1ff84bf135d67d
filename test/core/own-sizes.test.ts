import { expect, test } from 'vitest';
import { ownSizeFaults } from '../../core/own-sizes.ts';
import { config } from './campaign-fixtures.ts';

const sizes = {
  rollout: { train_tasks: 32, diag_tasks: 30, samples: 4 },
  evaluation: { ...config.evaluation, select_tasks: 40, canary_tasks: 41, promotion_tasks: 9000 },
};
const counts = { train: 700, diag: 50, select: 40, promotion: 140, final: 40 };

test('a problem file must have what a campaign plays; PROMOTION is played as far as it goes', () => {
  expect(ownSizeFaults(sizes, { ...counts, select: 41 })).toEqual([]);
  expect(ownSizeFaults(sizes, { ...counts, diag: 29 })).toEqual([
    'rollout.diag_tasks: 30 problems are asked for, and DIAG has 29: set at most 29, or add problems',
    'evaluation.canary_tasks: 41 problems are asked for, and SELECT has 40: set at most 40, or add problems',
  ]);
  expect(ownSizeFaults(sizes, { ...counts, select: 41, promotion: 1 })).toEqual([
    'environment.tasks: PROMOTION has 1 problems: add some',
  ]);
});
