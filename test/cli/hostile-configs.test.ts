// 250 hostile campaign files, arguments and files of the machine's state: each is refused with a few sentences and the
// documented exit code.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Draw } from '../chaos/draw.ts';
import { GOOD, mutated, OVERRIDES, TEXTS, yamlOfWrong, wrongValues } from './hostile-config.ts';
import { expectPlainEnd } from './plain-end.ts';
import { evo, type Running, startEvo } from './run-evo.ts';

const SEED = 13;
const WRONG_VALUES = 100;
const MUTATIONS = 60;

vi.setConfig({ testTimeout: 60_000 });

let folder: string;
let unreachable: Running;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'evo-hostile-'));
  vi.stubEnv('EVO_STATE_DIR', join(folder, 'state'));
  // It tries for ten seconds, while the other tests run.
  vi.stubEnv('TEMPORAL_ADDRESS', '127.0.0.1:1');
  unreachable = startEvo('status');
  vi.stubEnv('TEMPORAL_ADDRESS', '');
  mkdirSync(join(folder, 'state'));
});
afterAll(async () => {
  await unreachable.ended;
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

function at(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}
const dryRun = (path: string, ...more: string[]) => evo('run', path, '--dry-run', ...more);

describe('a hostile campaign file is refused:', () => {
  test.each(Object.keys(TEXTS))('%s', async (name) => {
    const path = at('text.yaml', TEXTS[name] ?? '');
    const ended = await dryRun(path);
    expectPlainEnd(ended, [2]);
    expect({}).not.toHaveProperty('polluted');
  });

  test(`${WRONG_VALUES} values beyond the limits of the schema`, async () => {
    const all = wrongValues();
    expect(all.length).toBeGreaterThan(500);
    const draw = new Draw(`values ${SEED}`);
    for (let count = 0; count < WRONG_VALUES; count += 1) {
      const wrong = all[Math.floor(draw.between(0, all.length))];
      if (wrong === undefined) continue;
      const ended = await dryRun(at('value.yaml', yamlOfWrong(wrong)));
      expectPlainEnd(ended, [2]);
      expect(ended.err).toContain(`${folder}/value.yaml`);
    }
  });

  test.each([
    ['a folder', () => folder],
    ['a file that is not there', () => join(folder, 'none.yaml')],
    ['a file in a file', () => join(at('good.yaml', GOOD), 'x')],
    ['a link to itself', () => (symlinkSync('loop', join(folder, 'loop')), join(folder, 'loop'))],
    ['a pipe', () => (execFileSync('mkfifo', [join(folder, 'pipe')]), join(folder, 'pipe'))],
    ['a name without end', () => join(folder, 'x'.repeat(300))],
    ['no name', () => ''],
    ['/dev/zero', () => '/dev/zero'],
    ['memory that cannot be read', () => '/proc/self/mem'],
    ['a file of the kernel without end', () => '/proc/self/pagemap'],
  ])('%s', async (_, path) => {
    expectPlainEnd(await dryRun(path()), [2]);
  });

  test.each(OVERRIDES.map((text) => [text.slice(0, 30), text]))('--set %j', async (_, text) => {
    expectPlainEnd(await dryRun(at('good.yaml', GOOD), '--set', text), [2]);
  });
});

test(`${MUTATIONS} random edits of a good file never break the command`, async () => {
  const codes = [];
  for (let edit = 0; edit < MUTATIONS; edit += 1) {
    const ended = await dryRun(at('edited.yaml', mutated(SEED * 1000 + edit)));
    expectPlainEnd(ended, [0, 2]);
    codes.push(ended.code);
  }
  expect(new Set(codes)).toEqual(new Set([0, 2]));
});

test.each(['a bomb of lists', 'a key of all objects', 'deep maps', 'nothing'])(
  'an intervention to inject is refused: %s',
  async (name) => {
    const path = at('inject.yaml', TEXTS[name] ?? '');
    expectPlainEnd(await evo('inject', 'demo', '--file', path), [2]);
    expectPlainEnd(await evo('inject', 'demo', '--patch', `@${path}`, '--hypothesis', 'x'), [2]);
  },
);

describe('the real program', () => {
  test('ends in the same way', async () => {
    const names = ['a bomb of lists', 'an alias of nothing', 'many keys', 'deep dashes', 'gzip'];
    const paths = names.map((name, place) => at(`real-${place}.yaml`, TEXTS[name] ?? ''));
    for (const path of paths) {
      expectPlainEnd(await startEvo('run', path, '--dry-run').ended, [2]);
    }
  });

  test('names a server that cannot be reached', async () => {
    const ended = await unreachable.ended;
    expectPlainEnd(ended, [3]);
    expect(ended.err).toMatch(/^no Temporal server answers at 127\.0\.0\.1:1 .*: check TEMPORAL_/);
  });
});

describe('a state file of the supervisor', () => {
  test.each(['', '{', 'null', '[]', '{"version":1}', '\0\0', '5'])(
    '%j is damaged',
    async (text) => {
      const path = at(join('state', 'supervisor.json'), text);
      for (const command of [['status'], ['up'], ['down'], ['pause', 'demo']]) {
        const ended = await evo(...command);
        expectPlainEnd(ended, [3]);
        expect(ended.err).toBe(`${path} is damaged: delete it, then run evo up\n`);
      }
      rmSync(path);
    },
  );
});
