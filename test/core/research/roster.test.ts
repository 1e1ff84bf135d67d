import { describe, expect, test } from 'vitest';
import { researcherFaults } from '../../../core/research/roster.ts';
import { researcherConfigSchema } from '../../../core/schemas/researcher-config.ts';

const faults = (researcher: object, providers: readonly string[] = ['local']): string[] =>
  researcherFaults(
    researcherConfigSchema.parse({ model: 'local/m', ...researcher }),
    providers,
  ).map(([path, message]) => `${path.join('.')}: ${message}`);

const specialist = (name: string, surfaces: readonly string[]) => ({
  name,
  surfaces,
  instructions: 'Look.',
});

describe('the faults of a roster', () => {
  test('are none for disjoint surfaces, known models and no money', () => {
    const specialists = [
      specialist('a', ['reward']),
      specialist('b', ['kl', 'entropy']),
      'catalog',
    ];
    expect(faults({ specialists })).toEqual([]);
  });

  test('name both owners of a surface', () => {
    const specialists = [specialist('a', ['reward']), specialist('b', ['reward'])];
    expect(faults({ specialists })).toEqual([
      'researcher.specialists.1.surfaces: reward belongs to a: leave it out of one',
    ]);
  });

  test('name an unknown factor with the nearest one', () => {
    expect(faults({ specialists: [specialist('a', ['rewards'])] })).toEqual([
      'researcher.specialists.0.surfaces: the recipe has no factor rewards; the nearest is reward',
    ]);
  });

  test('name a provider that is not there, of the researcher and of one specialist', () => {
    const own = { ...specialist('a', ['kl']), model: 'other/x' };
    expect(faults({ specialists: [own] }, [])).toEqual([
      'researcher.model: `providers` has no local: it is empty',
      'researcher.specialists.0.model: `providers` has no other: it is empty',
    ]);
  });

  test('ask for a price where there is a limit in dollars', () => {
    const specialists = [specialist('a', ['kl'])];
    expect(faults({ specialists, budget: { usd: 1 } })[0]).toMatch(/needs a price/);
    expect(faults({ specialists, budget: { generation_usd: 1 } })[0]).toMatch(/needs a price/);
    const price = { input: 0, output: 0 };
    expect(faults({ specialists, budget: { usd: 1 }, price })).toEqual([]);
  });

  test('name a specialist that is there twice', () => {
    expect(faults({ specialists: [specialist('a', ['kl']), 'a'] })).toEqual([
      'researcher.specialists.1: a is named twice',
    ]);
  });
});
