// A detector that a model offers, from its inquiry to the revised harness, on sets that contrast mining cannot part.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDiagnose } from '../../activities/diagnose.ts';
import { makeGaps } from '../../activities/gaps.ts';
import { readTranscript } from '../../activities/inquiring/transcript.ts';
import { makeRevise } from '../../activities/revise.ts';
import { readJson, storeJson } from '../../activities/shared/store-json.ts';
import { sampleOf } from '../../activities/revising/labeled-sample.ts';
import { storeMemory } from '../../activities/shared/stored-memory.ts';
import { sizeOf } from '../../core/harness/mining/bits.ts';
import { mineContrast } from '../../core/harness/mining/search.ts';
import type { ArtifactRef } from '../../core/schemas/artifact.ts';
import type { PastGeneration } from '../../core/schemas/past-generation.ts';
import { miningTable } from '../../infra/researcher/contrast-mining/mine-detectors.ts';
import { nothingGranted } from '../../core/research/purse.ts';
import { deskSchema } from '../../core/schemas/desk.ts';
import { harnessSchema } from '../../core/schemas/harness.ts';
import { revisedSchema } from '../../core/schemas/ledger-entry.ts';
import type { OfferedRevision } from '../../core/schemas/offered-revision.ts';
import { recipeSchema } from '../../core/schemas/recipe.ts';
import { campaignConfigSchema } from '../../core/schemas/campaign-config.ts';
import { candidate } from '../core/ledger-fixtures.ts';
import { type Bench, makeBench } from './bench.ts';
import { CONFIG } from './campaign-bench.ts';
import { PROVIDERS, RESEARCHER } from './inquiring/inquiry-bench.ts';
import { stepRequest } from './stored-context.ts';
import {
  type Played,
  playTasks,
  rolloutsWith,
  storeOptimizerMetrics,
  storeSet,
  type SyntheticSet,
} from './synthetic-set.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await makeBench();
});
afterAll(async () => bench.close());

const SPECIALIST = { name: 'harness', surfaces: ['harness'], instructions: 'You own detectors.' };
const config = campaignConfigSchema.parse({
  ...CONFIG,
  providers: PROVIDERS,
  researcher: { ...RESEARCHER, specialists: [SPECIALIST, 'catalog'] },
});
const recipe = recipeSchema.parse({
  reward: { components: [{ feature: 'visible_pass', weight: 1 }] },
});

const EARNED = '7 * 4 = 8 ; 8 - 3 = 5 ; # 5 END';
/**
 * An unearned success repeats a step word for word and is paid like an honest one. Both have as many letters, tokens,
 * steps and answers, and neither answer stands in the prompt: only a comparison of the steps with each other parts them.
 */
const REPEATED = '7 * 4 = 8 ; 7 * 4 = 8 ; # 6 END';
const detector = (sql: string, name = 'repeats_a_step'): OfferedRevision => ({
  kind: 'detector',
  name,
  description: 'A step is written twice.',
  sql,
  why: 'paid outputs that are wrong repeat a step instead of computing the next',
});
const REPEATS =
  "len(list_distinct(string_split(artifact, ' ; '))) < len(string_split(artifact, ' ; '))";

/** Each task is played once honestly and once by repeating; shuffled, the oracle's answer says nothing about it. */
const played = (count: number, prefix: string, isShuffled: boolean): Played[] =>
  playTasks(count, [EARNED, REPEATED], prefix).map((one, index) => ({
    ...one,
    prompt: 'Q 7 * 4 - 3 ?',
    gold: isShuffled && index % 4 > 1 ? '6' : '5',
    reward: 1,
  }));

/** Generation 1: its incumbent earned half of its pay, and its control learned to repeat. */
async function storePast(harness: ArtifactRef, set: SyntheticSet, tasks: number) {
  const prompt = 'Q 7 * 4 - 3 ?';
  const half = playTasks(tasks, [EARNED, EARNED.replace('# 5', '# 6')], `w${tasks}`);
  const warm = await storeSet(
    bench.store,
    half.map((one, index) => ({ ...one, prompt, gold: '5', reward: index % 2 === 0 ? 1 : 0 })),
    `w${tasks}x`,
  );
  const healthOf = async (of: SyntheticSet) => {
    const request = await stepRequest(bench.store, { generation: 1, harness });
    const rollouts = await rolloutsWith(bench.store, of);
    return (await makeDiagnose(bench.portsOf)({ ...request, rollouts })).health;
  };
  const past: PastGeneration = {
    generation: 1,
    rollouts: await rolloutsWith(bench.store, warm),
    health: await healthOf(warm),
    bottleneck: 'plateau',
    optimizerMetrics: null,
    branches: [
      {
        branch: 'b0',
        operator: null,
        diag: set.trajectories,
        labels: set.labels,
        optimizerMetrics: await storeOptimizerMetrics(bench.store, 5),
        health: await healthOf(set),
        effect: null,
        decision: 'prune',
      },
    ],
  };
  return storeMemory(bench.store, { past: [past], skills: [], forecasts: [] });
}

async function revised(tasks: number, revisions: readonly OfferedRevision[], isShuffled = false) {
  const kind = isShuffled ? 's' : 'h';
  const set = await storeSet(
    bench.store,
    played(tasks, `${kind}${tasks}`, isShuffled),
    `${kind}${tasks}x`,
  );
  const rollouts = await rolloutsWith(bench.store, set);
  const harness = await bench.harness('scalar');
  const request = await stepRequest(bench.store, {
    config,
    generation: 2,
    incumbent: { ...candidate('warm'), recipe: await storeJson(bench.store, recipe) },
    harness,
    memory: await storePast(harness, set, tasks),
  });
  const { health } = await makeDiagnose(bench.portsOf)({ ...request, rollouts });
  const briefed = await makeGaps(bench.portsOf)({
    ...request,
    rollouts,
    health,
    granted: nothingGranted,
  });
  const revision = await makeRevise(bench.portsOf)({
    ...request,
    rollouts,
    health,
    offers: await storeJson(bench.store, revisions),
  });
  const { body } = await readJson(bench.store, revision.entry, revisedSchema);
  const after = await readJson(bench.store, revision.harness, harnessSchema);
  return { briefed, body, after, set };
}

describe('the specialist of the harness', { timeout: 120_000 }, () => {
  test('is asked where a gap holds, and its brief names the gap', async () => {
    const { briefed } = await revised(20, []);
    expect(briefed.inquiries.map(({ specialist }) => specialist)).toEqual(['harness']);
    const [opened] = briefed.inquiries;
    if (opened === undefined) throw new Error('no inquiry was opened');
    const [link] = await readTranscript(bench.store, opened.brief);
    const text = link?.message.role === 'user' ? link.message.text : '';
    expect(text).toMatch(/specialist harness\.[\s\S]*## gaps\n\[\{"kind":"outcome-unexplained"/);
    expect(text).not.toContain('your_factors');
    expect((await readJson(bench.store, briefed.desk, deskSchema)).gaps).not.toEqual([]);
  });

  test('brings a detector that mining does not find, with its author, rule and operators', async () => {
    const { body, after } = await revised(600, [detector(REPEATS)]);
    expect(body.gaps[0]).toMatchObject({ trigger: 'proxy-truth-divergence' });
    expect(body.changes).toMatchObject([
      { name: 'repeats_a_step', decision: 'admitted', author: 'harness' },
    ]);
    expect(after.mined).toEqual([{ detector: 'repeats_a_step', generation: 2 }]);
    expect(after.operators.flatMap(({ answers }) => answers)).toContain('rewarded_repeats_a_step');
  });

  test('finds what no family of mining can express', async () => {
    const { set } = await revised(600, []);
    const labeled = [{ diag: set.trajectories, labels: set.labels }];
    const sample = sampleOf(bench.analytics, 'mining', labeled, []);
    const table = await miningTable(sample);
    expect(sizeOf(table.cases)).toBeGreaterThan(200);
    const families = Map.groupBy(table.predicates, ({ predicate }) => predicate.topic);
    expect(families.size).toBeGreaterThan(5);
    for (const [family, predicates] of [['all', table.predicates] as const, ...families]) {
      expect([family, mineContrast({ ...table, predicates })]).toEqual([family, []]);
    }
    const marks = await sample.marks([REPEATS]);
    expect(marks.predicates[0]).toBe(marks.cases);
  });

  test('brings nothing where the labels are shuffled', async () => {
    const { body } = await revised(600, [detector(REPEATS)], true);
    expect(body.changes.filter(({ decision }) => decision === 'admitted')).toEqual([]);
  });

  test('is tried more strictly, the more it offers', async () => {
    const more = [1, 2].map((number) =>
      detector(`${REPEATS} AND token_count > ${number}`, `variant_${number}`),
    );
    // Enough tasks for a bound at 95 %, and not for one at 98.3 %.
    const { body: alone } = await revised(170, [detector(REPEATS)]);
    const { body: among } = await revised(170, [detector(REPEATS), ...more]);
    expect(alone.changes[0]).toMatchObject({ decision: 'admitted' });
    expect(among.changes[0]).toMatchObject({ name: 'repeats_a_step', decision: 'provisional' });
  });

  test('may not recognize tasks', async () => {
    const { body } = await revised(60, [detector("md5(prompt) < '8'", 'lucky_tasks')]);
    expect(body.changes).toMatchObject([
      { name: 'lucky_tasks', decision: 'refused', why: expect.stringMatching(/recognize tasks/) },
    ]);
  });
});
