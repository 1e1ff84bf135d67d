// A campaign that has finished: what it leaves behind, what it keeps to itself, and how it is taken up again.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { workflowIds } from '../../core/ids.ts';
import { baselineRoots, baselineWorld } from './baseline.ts';
import type { Roots } from './roots.ts';
import { CAMPAIGN, GATE_SECRET, type World } from './world.ts';

let world: World;
let roots: Roots;
beforeAll(async () => {
  world = baselineWorld();
  roots = baselineRoots();
  await world.must('up');
});
afterAll(async () => {
  await world.must('down');
  expect(world.processes()).toEqual([]);
});

const HISTORY_BYTES_MAX = 100_000;
const OF_GENERATION = [
  workflowIds.generation(CAMPAIGN, 1, 1),
  workflowIds.branch(CAMPAIGN, 1, 1, 'b0'),
  workflowIds.branch(CAMPAIGN, 1, 1, 'b1'),
];

describe('a finished campaign', () => {
  it('verifies: chain, digests, rules and verdicts', async () => {
    const { ok, verdicts, unchecked } = JSON.parse(await world.must('verify', CAMPAIGN, '--json'));
    expect({ ok, unchecked }).toEqual({ ok: true, unchecked: [] });
    expect(verdicts).toBeGreaterThan(0);
  });

  it('keeps the history of a generation and its branches small', async () => {
    const sizes = await Promise.all(
      OF_GENERATION.map(async (id) => {
        const told = await world.temporal('workflow', 'describe', '-w', id, '-o', 'json');
        return Number(JSON.parse(told).workflowExecutionInfo.historySizeBytes);
      }),
    );
    expect(sum(sizes)).toBeGreaterThan(0);
    expect(sum(sizes)).toBeLessThan(HISTORY_BYTES_MAX);
  });

  it('tells the gate secret in no history', async () => {
    for (const id of [workflowIds.campaign(CAMPAIGN), ...OF_GENERATION]) {
      const history = await world.temporal('workflow', 'show', '-w', id, '-o', 'json');
      expectNoSecret(withPayloads(history), id);
    }
  });

  it('tells the gate secret nowhere in its state folder', async () => {
    const entries = await readdir(world.stateDir, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile() && entry.name !== 'gate-secret');
    expect(files.length).toBeGreaterThan(100);
    for (const { parentPath, name } of files) {
      expectNoSecret(await readFile(join(parentPath, name)), join(parentPath, name));
    }
  });

  it('tells it in no report', async () => {
    const report = await world.must('report', CAMPAIGN);
    expect(report).toContain(CAMPAIGN);
    expectNoSecret(report);
  });

  it('refuses another config under its name, and says what to do', async () => {
    const { code, err } = await world.evo(...world.run(roots, 'budget.optimizer_steps=41'));
    expect(code).toBe(4);
    expect(err).toMatch(/started with another config/);
    expect(err).toMatch(/--set name=/);
  });

  it('goes on from its ledger when more generations are asked for', async () => {
    const before = await roots.ledger(CAMPAIGN);
    const [decided] = await roots.decisions(CAMPAIGN, 'branches-decided');
    const out = await world.must(...world.run(roots, 'generations=2'));
    expect(JSON.parse(out.split('\n')[0] ?? '')).toMatchObject({ event: 'continued' });
    const after = await roots.ledger(CAMPAIGN);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(await roots.decisions(CAMPAIGN, 'calibrated')).toHaveLength(1);
    const [first, second] = await roots.decisions(CAMPAIGN, 'test-reserved');
    expect(first?.test).toBe(1);
    if (second) expect(second.test).toBe(2);
    const { generation, testsSpent, generations } = await world.view();
    expect({ generation, testsSpent }).toEqual({ generation: 2, testsSpent: second ? 2 : 1 });
    expect(generations.map((one) => one.generation)).toEqual([1, 2]);
    await expectPlayedFrom(decided?.incumbent.policy.sha256);
    expect((await world.evo('verify', CAMPAIGN)).code).toBe(0);
  });
});

/** Generation 2 rolled out the incumbent that generation 1 left. */
async function expectPlayedFrom(policy: string | undefined): Promise<void> {
  const claims = await roots.claims('rollout');
  const requests = await Promise.all(
    claims.map(async (claim) => readFile(world.folder(roots, claim).request, 'utf8')),
  );
  const played = requests.map((text) => JSON.parse(text).inputs.policy.ref.sha256);
  expect(played).toContain(policy);
  expect(claims).toHaveLength(2);
}

function expectNoSecret(content: string | Buffer, place = 'what was printed'): void {
  const known = content.includes(GATE_SECRET);
  expect(known, `${place} tells the gate secret`).toBe(false);
}

/** Payloads stand in a history as base64, which would hide what they tell. */
function withPayloads(history: string): string {
  const payloads = [...history.matchAll(/"data": *"([A-Za-z0-9+/=]+)"/g)];
  expect(payloads.length).toBeGreaterThan(0);
  return [
    history,
    ...payloads.map(([, data]) => Buffer.from(data ?? '', 'base64').toString()),
  ].join();
}

const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);
