// What the first harness took from other campaigns is computed again from the config.
import { expect, test } from 'vitest';
import { recomputeSkills } from '../../cli/verify/recompute-skills.ts';
import { storeJson } from '../../activities/shared/store-json.ts';
import { campaignHarness } from '../../core/harness/own-definitions.ts';
import { campaignConfigSchema } from '../../core/schemas/campaign-config.ts';
import type { Harness } from '../../core/schemas/harness.ts';
import { loadCatalog } from '../../infra/harness-catalog/load-catalog.ts';
import { MemoryStore } from '../../infra/store/memory/memory-store.ts';
import { HARNESS_FOLDER } from '../activities/bench.ts';
import { chain, drafts } from '../core/ledger-fixtures.ts';
import { foreignSkill } from '../core/transfer/fixtures.ts';

const config = campaignConfigSchema.parse({
  name: 'demo',
  domain: 'code.listprog',
  skills: [foreignSkill([0.08])],
  recipe: { reward: { components: [{ feature: 'exit_zero', weight: 1 }] } },
});
const catalog = await loadCatalog(HARNESS_FOLDER);
const honest = campaignHarness(catalog, config);

/** Fields that do not follow where the campaign began with this harness. */
async function fieldsOf(harness: Harness): Promise<string[]> {
  const open = new MemoryStore('open');
  const ref = await storeJson(open, harness);
  const records = chain(
    drafts.flatMap((one) =>
      one.kind === 'calibrated' ? [{ ...one, body: { ...one.body, harness: ref } }] : [],
    ),
  );
  const found = await recomputeSkills(records, new Map([['digest', config]]), open);
  return found.map(({ field }) => field);
}

const withOperator = (change: object): Harness => ({
  ...honest,
  operators: honest.operators.map((one) =>
    one.name === 'pay_short_answers' ? { ...one, ...change } : one,
  ),
});

test('an honest harness follows from the config', async () => {
  expect(honest.imported).toHaveLength(1);
  expect(await fieldsOf(honest)).toEqual([]);
});

test.each<[string, Harness, string]>([
  [
    'more hits of a record',
    { ...honest, imported: honest.imported?.map((one) => ({ ...one, hits: 9 })) },
    'harness/imported',
  ],
  ['a record that nobody imported', { ...honest, imported: [] }, 'harness/imported'],
  ['a better prior', withOperator({ prior: { mean: 0.2, sd: 0.05 } }), 'harness/minted'],
  [
    'other SQL',
    withOperator({
      features: [{ name: 'few_answers', type: 'boolean', description: 'x', sql: 'TRUE' }],
    }),
    'harness/minted',
  ],
])('%s is named', async (_, harness, field) => {
  expect(await fieldsOf(harness)).toContain(field);
});
