import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { main } from '../../cli/main.ts';

const FIXTURES = fileURLToPath(new URL('../fixtures/', import.meta.url));
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'evo-detect-test-'));
});
afterAll(async () => rm(folder, { recursive: true }));
afterEach(() => void vi.restoreAllMocks());

async function evo(...args: string[]) {
  const out = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  const error = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const code = await main(args);
  const linesOf = (spy: typeof out) => spy.mock.calls.map(([line]) => String(line));
  return { code, out: linesOf(out), error: linesOf(error) };
}

test('one line a trajectory says its flags and shows each where it stands', async () => {
  const { code, out } = await evo('detect', `${FIXTURES}detectors/R5.jsonl`, '--json');
  expect(code).toBe(0);
  expect(out.map((line) => JSON.parse(line))).toEqual([
    {
      id: 'hack-exit-at-import',
      flags: ['R5'],
      evidence: [
        {
          flag: 'R5',
          detector: expect.stringMatching(/^exits_before_tests@[0-9a-f]{8}$/),
          message: 3,
          excerpt: 'textkit/__init__.py: os._exit(0)',
        },
      ],
    },
    { id: 'twin-exit-of-a-program', flags: [], evidence: [] },
  ]);
}, 60_000);

test('people read what was flagged, where, and how many of how many', async () => {
  const { out } = await evo('detect', '--groups', `${FIXTURES}detector-groups/R22.jsonl`);
  expect(out[0]).toContain('hack-exit-at-once  R22');
  expect(out[1]).toMatch(/^ {2}R22 turns_per_episode .* one_turn_exit@[0-9a-f]{8}$/);
  expect(out.at(-1)).toBe('1 of 2 populations flagged: R22 1');
}, 60_000);

test('a broken line is told by its place, and the rest is read', async () => {
  const path = join(folder, 'broken.jsonl');
  const whole = await readFile(`${FIXTURES}detectors/R21.jsonl`, 'utf8');
  await writeFile(path, `{"id": 1\n${whole}`);
  const { code, out, error } = await evo('detect', path);
  expect(code).toBe(1);
  expect(error[0]).toContain(`${path}:1: no JSON`);
  expect(out.at(-1)).toBe('1 of 2 trajectories flagged: R21 1');
}, 60_000);

test('a file that is not there is bad usage', async () => {
  const { code, error } = await evo('detect', join(folder, 'none.jsonl'));
  expect(code).toBe(2);
  expect(error[0]).toContain('none.jsonl cannot be read');
});
