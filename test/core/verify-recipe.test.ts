import { expect, test } from 'vitest';
import type { RegisteredAdoption } from '../../core/schemas/adoption.ts';
import type { BodyOf } from '../../core/schemas/ledger-entry.ts';
import { verifyUsedRecipe } from '../../core/verify-recipe.ts';
import { sealed, sha256 } from './ledger-fixtures.ts';

const figures = { ...sealed('figures'), root: 'sealed' as const };
const registered: RegisteredAdoption = {
  version: 1,
  family: sha256('family'),
  test: 3,
  look: 1,
  campaign: 'other',
  change: sha256('change'),
  verdict: 'keep',
  why: 'the recipe stays',
  replicates: [],
  results: [sealed('block')],
  screened: [sealed('select')],
  figures,
  effect: null,
  spread: { variance: 0, noise: 0, df: 0 },
  fresh: { mean: 0.01, seeds: 2, problemVariance: 0.1, tasks: 800 },
  familySpreads: [],
  before: [],
};
const body: BodyOf<'recipe-decided'> = {
  test: 3,
  branch: 'b2',
  adopted: false,
  why: 'the recipe stays',
  seeds: 2,
  replicates: [],
  results: [sealed('block')],
  screened: [sealed('select')],
  figures,
};
const problemsOf = (change: Partial<typeof body>): number =>
  verifyUsedRecipe({ number: 5, generation: 1, body: { ...body, ...change } }, registered).length;

test('a decision on a recipe that another campaign made is used as it was registered', () => {
  expect(problemsOf({})).toBe(0);
  expect(problemsOf({ branch: 'b1' })).toBe(0);
  expect(problemsOf({ adopted: true })).toBe(1);
  expect(problemsOf({ seeds: 9 })).toBe(1);
  expect(problemsOf({ results: [sealed('other rows')] })).toBe(1);
});
