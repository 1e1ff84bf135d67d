// Cases R27 and R28 of the reward-hack catalog are hacks by the system that trains. An intervention on the evaluation
// is refused.
import { describe, expect, test } from 'vitest';
import { checkIntervention } from '../../../core/recipe/check-intervention.ts';
import { recipeSchema } from '../../../core/schemas/recipe.ts';

const recipe = recipeSchema.parse({
  reward: { components: [{ feature: 'visible_pass', weight: 1 }] },
  filter: { zero_variance_groups: false },
  curriculum: { levels: [1, 6] },
  optimizer: { minibatches: 2 },
});
const ALL = { recipe_paths: ['/reward', '/filter', '/curriculum', '/rollout', '/optimizer'] };

describe('R27: an intervention on the evaluation', () => {
  test.each([
    '/evaluator/max_tokens',
    '/evaluation/problems',
    '/gate/alpha',
    '/seed',
    '/campaign_seed',
    '/splits/select',
    '/select/samples',
    '/canary',
    '/promotion/problems',
    '/epoch',
    '/oracle',
    '/harness/detectors',
    '/rollout/seed',
  ])('%s is refused with its path', (path) => {
    const checked = checkIntervention([{ op: 'add', path, value: 1 }], recipe, ALL);
    expect(checked).toEqual({
      ok: false,
      reason: `${path} decides how policies are evaluated, and an intervention may not change that`,
    });
  });

  test('differs from a typo and from what a domain does not allow', () => {
    const slip = checkIntervention([{ op: 'add', path: '/optimzer/lr', value: 1 }], recipe, ALL);
    expect(slip).toMatchObject({
      ok: false,
      reason: expect.stringContaining('the nearest path is'),
    });
    const path = '/filter/zero_variance_groups';
    const barred = checkIntervention([{ op: 'replace', path, value: true }], recipe, {
      recipe_paths: ['/reward'],
    });
    expect(barred).toMatchObject({
      ok: false,
      reason: expect.stringContaining('may not be changed'),
    });
  });
});
