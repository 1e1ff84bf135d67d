// A finished campaign: its archive, its secrets, and its continuation.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { readFigures } from '../../activities/shared/sealed-figures.ts';
import { workflowIds } from '../../core/ids.ts';
import type { Claim } from '../../core/schemas/claim.ts';
import { toolPath } from '../../infra/machine/tools.ts';
import { trainerFolder } from '../../workers/compose-trainer.ts';
import { nobodyMissing, openToNobody, withRightsForOthers } from '../contracts/open-to-nobody.ts';
import { baselineMachine } from './baseline.ts';
import { MAY_HAVE } from './marked-secrets.ts';
import type { Roots } from './roots.ts';
import { sealedNumbers } from './sealed-numbers.ts';
import { CAMPAIGN, E2E_GATE_SECRET, type TestMachine } from './test-machine.ts';

let machine: TestMachine;
let roots: Roots;
/** Everybody may enter it, and read the file `control` in it. */
let above: string;
beforeAll(async () => {
  above = mkdtempSync(join(tmpdir(), 'evo-finished-'));
  writeFileSync(join(above, 'control'), 'to be read');
  mkdirSync(join(above, 'state'));
  machine = baselineMachine().copy(join(above, 'state'));
  roots = machine.ownRoots;
  // As earlier versions left it.
  execFileSync('chmod', ['-R', 'a+rX', above]);
  expect(withRightsForOthers(machine.stateDir).length).toBeGreaterThan(100);
  await machine.must('up');
});
afterAll(async () => {
  expect(await machine.close()).toEqual([]);
  rmSync(above, { recursive: true });
});

const HISTORY_BYTES_MAX = 100_000;
const PROMPTS = 'SELECT DISTINCT prompt FROM t';
const OF_GENERATION = [
  workflowIds.generation(CAMPAIGN, 1, 1),
  workflowIds.branch(CAMPAIGN, 1, 1, 'b0'),
  workflowIds.branch(CAMPAIGN, 1, 1, 'b1'),
];

describe('a finished campaign', () => {
  it('verifies: chain, digests, rules and verdicts', async () => {
    const { ok, verdicts, unchecked } = JSON.parse(
      await machine.must('verify', CAMPAIGN, '--json'),
    );
    expect({ ok, unchecked }).toEqual({ ok: true, unchecked: [] });
    expect(verdicts).toBeGreaterThan(0);
  });

  it('keeps every history small: references, not payloads', async () => {
    for (const id of [workflowIds.campaign(CAMPAIGN), ...OF_GENERATION]) {
      const told = await machine.temporal('workflow', 'describe', '-w', id, '-o', 'json');
      const { historySizeBytes } = JSON.parse(told).workflowExecutionInfo;
      expect(Number(historySizeBytes), id).toBeGreaterThan(0);
      expect(Number(historySizeBytes), id).toBeLessThan(HISTORY_BYTES_MAX);
    }
  });

  it('has the gate secret and the marked ones in no history', async () => {
    for (const id of [workflowIds.campaign(CAMPAIGN), ...OF_GENERATION]) {
      const history = await machine.temporal('workflow', 'show', '-w', id, '-o', 'json');
      expectNoSecret(withPayloads(history), id);
    }
  });

  it('was played by processes that had no secret they do not need', () => {
    const { commands, variables, looked } = inject('seenSecrets');
    for (const part of ['temporal server', 'wrapper/main.ts', '-m evotrainer', 'duckdb/child.ts']) {
      expect(
        looked.some((command) => command.includes(part)),
        part,
      ).toBe(true);
    }
    expect(commands).toEqual([]);
    expect(variables).toEqual(MAY_HAVE);
  });

  it('has the gate secret and the marked ones nowhere in its state folder', async () => {
    const files = (await filesOf(machine.stateDir)).filter(({ name }) => name !== 'gate-secret');
    expect(files.length).toBeGreaterThan(100);
    for (const { parentPath, name } of files) {
      expectNoSecret(await readFile(join(parentPath, name)), join(parentPath, name));
    }
  });

  it('has no task of the sealed splits in histories, files, archive or report', async () => {
    const sealed = sealedPrompts();
    expect(sealed.length).toBeGreaterThan(400);
    const places = new Map<string, string>();
    for (const id of [workflowIds.campaign(CAMPAIGN), ...OF_GENERATION]) {
      places.set(
        id,
        withPayloads(await machine.temporal('workflow', 'show', '-w', id, '-o', 'json')),
      );
    }
    places.set('report', await machine.must('report', CAMPAIGN));
    for (const { parentPath, name } of await filesOf(machine.stateDir)) {
      places.set(join(parentPath, name), await readFile(join(parentPath, name), 'latin1'));
    }
    // Parquet is compressed, so it is searched by query.
    const played = await machine.must('trajectories', CAMPAIGN, '--json', '--sql', PROMPTS);
    expect(played).toMatch(/Q \d/);
    places.set('archived trajectories', played);
    for (const [place, content] of places) {
      expect(
        sealed.filter((prompt) => content.includes(prompt)),
        place,
      ).toEqual([]);
    }
  });

  it('has no figure of sealed problems without the sealed root, and all of them for who asks', async () => {
    await expectNoFigures();
    const [verdict] = await roots.decisions(CAMPAIGN, 'gate-verdict');
    if (verdict === undefined) throw new Error('no test was played');
    const { findings } = await readFigures(roots.stores.sealed, verdict.figures);
    const why = findings[0]?.why ?? 'no finding';
    expect(why).toMatch(/[\d.]+ points/);
    expect(await machine.must('report', CAMPAIGN, '--sealed')).toContain(why);
    expect(await machine.must('status', CAMPAIGN, '--sealed')).toContain(why);
  });

  it('exports its policy into a new folder, and into no other', async () => {
    const folder = join(above, 'state', 'exported');
    expect(await machine.must('export', CAMPAIGN, folder)).toContain(folder);
    const names = ['config.json', 'model.safetensors', 'tokenizer.json'];
    expect((await readdir(folder)).toSorted()).toEqual(names);
    const { code, err } = await machine.evo('export', CAMPAIGN, folder);
    expect([code, err]).toEqual([2, expect.stringContaining('name a new folder')]);
  });

  it('has them in no report', async () => {
    const report = await machine.must('report', CAMPAIGN);
    expect(report).toContain(CAMPAIGN);
    expectNoSecret(report);
  });

  it.skipIf(nobodyMissing)(
    `keeps all its files from other users of the machine${nobodyMissing}`,
    async () => {
      expect(openToNobody(above)).toEqual([above, join(above, 'control')]);
    },
  );

  it('refuses another config under its name, with the cure', async () => {
    const { code, err } = await machine.evo(...machine.run(null, 'budget.optimizer_steps=41'));
    expect(code).toBe(4);
    expect(err).toMatch(/exists with another config \(budget\)/);
    expect(err).toMatch(/--set name=/);
  });

  it('continues from its ledger when more generations are requested', async () => {
    const before = await roots.ledger(CAMPAIGN);
    const [decided] = await roots.decisions(CAMPAIGN, 'branches-decided');
    const played = await roots.claims('rollout');
    const out = await machine.must(...machine.run(null, 'generations=2'));
    expect(JSON.parse(out.split('\n')[0] ?? '')).toMatchObject({ event: 'continued' });
    const after = await roots.ledger(CAMPAIGN);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(await roots.decisions(CAMPAIGN, 'calibrated')).toHaveLength(1);
    const [first, second] = await roots.decisions(CAMPAIGN, 'test-reserved');
    expect(first?.test).toBe(1);
    if (second) expect(second.test).toBe(2);
    const { generation, testsSpent, generations } = await machine.view();
    expect({ generation, testsSpent }).toEqual({ generation: 2, testsSpent: second ? 2 : 1 });
    expect(generations.map((one) => one.generation)).toEqual([1, 2]);
    const rollouts = await roots.claims('rollout');
    const [added, ...more] = rollouts.filter((one) => !played.some(({ key }) => key === one.key));
    expect(more).toEqual([]);
    expect(await policyOf(added)).toEqual(decided?.incumbent.policy);
    expect((await machine.evo('verify', CAMPAIGN)).code).toBe(0);
  });

  it('plays FINAL once, which freezes its head, and shows it only to who can read the sealed root', async () => {
    const head = await roots.ledger(CAMPAIGN);
    const report = await machine.must('report', CAMPAIGN, '--open-sealed');
    const opened = (await roots.ledger(CAMPAIGN)).slice(head.length);
    expect(opened.map(({ draft }) => draft.kind)).toEqual(['sealed-opened', 'final-played']);
    const [played] = await roots.decisions(CAMPAIGN, 'final-played');
    if (played === undefined) throw new Error('FINAL was not played');
    const { findings } = await readFigures(roots.stores.sealed, played.figures);
    const shown = findings.map(({ figures }) => figures['score shift']?.mean.toFixed(3));
    expect(shown.length).toBeGreaterThan(0);
    for (const figure of shown) expect(report).toContain(figure);
    expect(await machine.must('report', CAMPAIGN)).toContain('FINAL "final"');
    await expectNoFigures(workflowIds.final(CAMPAIGN));
    expect((await machine.evo('verify', CAMPAIGN)).code).toBe(0);
    const again = await machine.evo('report', CAMPAIGN, '--open-sealed');
    expect(again).toMatchObject({ code: 4, err: expect.stringContaining('--namespace') });
    const more = await machine.evo(...machine.run(null, 'generations=3'));
    expect(more).toMatchObject({ code: 4, err: expect.stringContaining('head is frozen') });
    await machine.must('report', CAMPAIGN, '--open-sealed', '--namespace', 'second');
    expect(await roots.decisions(CAMPAIGN, 'final-played')).toHaveLength(2);
    expect((await machine.evo('verify', CAMPAIGN)).code).toBe(0);
  });

  it('has left no right for others, in what it found and in what it made', () => {
    // The test's own.
    chmodSync(join(machine.stateDir, 'gate-secret'), 0o600);
    expect(withRightsForOthers(machine.stateDir)).toEqual([]);
  });
});

/** Neither histories nor files, logs and reports have a figure, except in the sealed root. */
async function expectNoFigures(...further: readonly string[]): Promise<void> {
  const numbers = await sealedNumbers(machine, roots, CAMPAIGN);
  expect(numbers.length).toBeGreaterThan(10);
  const places = new Map<string, string>();
  for (const id of [workflowIds.campaign(CAMPAIGN), ...OF_GENERATION, ...further]) {
    places.set(
      id,
      withPayloads(await machine.temporal('workflow', 'show', '-w', id, '-o', 'json')),
    );
  }
  for (const form of [[], ['--html'], ['--json']]) {
    places.set(`report ${form.join('')}`, await machine.must('report', CAMPAIGN, ...form));
  }
  places.set('status', await machine.must('status', CAMPAIGN));
  places.set('list', await machine.must('status'));
  for (const { parentPath, name } of await filesOf(machine.stateDir)) {
    if (parentPath.startsWith(machine.paths.sealedStore)) continue;
    places.set(join(parentPath, name), await readFile(join(parentPath, name), 'latin1'));
  }
  expect(places.size).toBeGreaterThan(100);
  for (const [place, content] of places) {
    expect(
      numbers.filter((number) => content.includes(number)),
      place,
    ).toEqual([]);
  }
}

const filesOf = async (folder: string) =>
  (await readdir(folder, { recursive: true, withFileTypes: true })).filter((one) => one.isFile());

/** The tasks of a rollout. */
async function policyOf(claim: Claim | undefined): Promise<unknown> {
  if (claim === undefined) throw new Error('there is no such rollout');
  const text = await readFile(machine.folder(roots, claim).request, 'utf8');
  return JSON.parse(text).inputs.policy.ref;
}

/** The prompt of every task in the campaign's sealed streams. */
function sealedPrompts(): string[] {
  const program = `
import sys
from evotrainer.domains import find_domain
from evotrainer.splits import TaskStream, uniform_levels
domain, key = find_domain("math.chain"), bytes.fromhex(sys.argv[1])
levels = uniform_levels(domain, domain.levels)
streams = [("PROMOTION", ("promotion", 1), 80), ("CANARY", (0, 0), 200), ("CANARY", (1, 0), 200)]
for split, purpose, count in streams:
    stream = TaskStream(domain, 1, split, purpose, key)
    for index in range(count):
        print(" ".join(stream.task(index, levels).prompt))
`;
  const options = { cwd: trainerFolder, encoding: 'utf8', input: program } as const;
  const out = execFileSync(toolPath('python'), ['-', E2E_GATE_SECRET], options);
  return [...new Set(out.trim().split('\n'))];
}

function expectNoSecret(content: string | Buffer, place = 'what was printed'): void {
  for (const secret of [E2E_GATE_SECRET, inject('seenSecrets').mark]) {
    expect(content.includes(secret), `${place} tells ${secret}`).toBe(false);
  }
}

/** Decodes payloads, because a history contains them as base64. */
function withPayloads(history: string): string {
  const payloads = [...history.matchAll(/"data": *"([A-Za-z0-9+/=]+)"/g)];
  expect(payloads.length).toBeGreaterThan(0);
  return [
    history,
    ...payloads.map(([, data]) => Buffer.from(data ?? '', 'base64').toString()),
  ].join();
}
