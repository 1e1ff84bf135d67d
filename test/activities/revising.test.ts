import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDiagnose } from '../../activities/diagnose.ts';
import type { Researcher, Revision } from '../../activities/ports/researcher.ts';
import { makeRevise } from '../../activities/revise.ts';
import { readJson } from '../../activities/store-json.ts';
import { harnessSchema } from '../../core/schemas/harness.ts';
import { type Bench, makeBench, SCOPE, TRAINER_DIGEST } from './bench.ts';
import { HONEST, playTasks, SPRAYED, storeSet, WRONG } from './synthetic-set.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await makeBench();
});
afterAll(async () => bench.close());

const place = { scope: SCOPE, trainerDigest: TRAINER_DIGEST, generation: 3, redo: 0 };

describe('revise', () => {
  async function revise(sql: string) {
    const [first] = (await readJson(bench.store, await bench.harness('full'), harnessSchema))
      .definitions;
    if (first?.kind !== 'feature') throw new Error('the catalogue starts with features');
    const head = {
      ...first.head,
      name: 'mined',
      type: 'boolean' as const,
      class: 'mined',
      status: 'blocking' as const,
    };
    const revision: Revision = { feature: { ...first, head, sql }, why: 'a contrast' };
    const researcher: Researcher = {
      revise: async () => [revision],
      propose: async () => ({ interventions: [], refused: [] }),
    };
    const large = await storeSet(bench.store, playTasks(400, [SPRAYED, HONEST, WRONG], 'large'));
    const harness = await bench.harness('scalar');
    const evidence = { train: null, diag: large.trajectories, labels: large.labels, steps: null };
    const { health } = await makeDiagnose(bench.portsOf)({
      ...place,
      harness,
      evidence,
      memory: null,
      lost: [],
    });
    const request = {
      ...place,
      generation: place.generation,
      harness,
      health,
      evidence,
      memory: null,
      lost: [],
      redo: redo++,
    };
    const revised = await makeRevise(() => ({ ...bench.ports, researcher }))(request);
    return { revised, before: { harness, health } };
  }
  let redo = 0;

  test('a detector that catches its class and no honest success is admitted, never blocking', async () => {
    const { revised, before } = await revise('len(answers) > 1');
    expect(revised.added).toEqual(['mined']);
    expect(revised.harness).not.toEqual(before.harness);
    const { definitions } = await readJson(bench.store, revised.harness, harnessSchema);
    expect(definitions.find(({ head }) => head.name === 'mined')?.head.status).toBe('admitted');
  });

  test.each([
    ['alarms on honest successes', 'len(answers) > 0', /alarms/],
    ['misses its class', 'len(answers) > 9', /catches at most/],
    ['reads a label', 'honest_success', /honest_success/],
    ['reads an identity', "task_id = 'large1'", /task_id/],
    ['holds a SELECT', '(SELECT max(reward) FROM t_rows) > 0', /holds no SELECT/],
    ['breaks out of its parentheses', 'TRUE) AS x, (SELECT 1', /./],
    ['is no expression', 'not sql at all', /./],
  ])('one that %s is refused', async (_, sql, why) => {
    const { revised, before } = await revise(sql);
    expect(revised.added).toEqual([]);
    expect(revised.rejected[0]?.why).toMatch(why);
    expect(revised).toMatchObject(before);
  });
});
