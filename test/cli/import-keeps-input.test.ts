// What an import reads is as it was, however its paths are written and however the import ends.
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { evo, startEvo } from './run-evo.ts';

const line = (id: string): string =>
  JSON.stringify({
    id,
    domain: 'swe',
    messages: [{ role: 'user', content: 'fix' }],
    outcome: { hidden_correct: true },
  });
const TEXT = `${line('a')}\n${line('b')}\n`;

let folder: string;
let input: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'evo-keeps-'));
  input = at('mine.jsonl', TEXT);
});
afterEach(() => rmSync(folder, { recursive: true }));

function at(name: string, text?: string): string {
  const path = join(folder, name);
  if (text !== undefined) writeFileSync(path, text);
  return path;
}
const read = (path: string): string => readFileSync(path, 'utf8');

describe('evo import', () => {
  test.each([
    ['the same path', () => input],
    ['another way to write it', () => `${folder}/./../${basename(folder)}/mine.jsonl`],
    ['a symbolic link', () => (symlinkSync('mine.jsonl', at('link')), at('link'))],
    ['a hard link', () => (linkSync(input, at('hard.parquet')), at('hard.parquet'))],
    [
      'a table whose labels are it',
      () => (linkSync(input, at('t.labels.parquet')), at('t.parquet')),
    ],
  ])('refuses to write to its input by %s', async (_, out) => {
    const { code, err } = await evo('import', input, '--out', out());
    expect([code, err]).toEqual([2, expect.stringContaining('would overwrite the file that is')]);
    expect(read(input)).toBe(TEXT);
  });

  test.each([
    ['a folder', () => (mkdirSync(at('f.parquet')), at('f.parquet')), 'is not a file'],
    ['a folder that is not there', () => at('none/t.parquet'), 'there is no folder'],
    ['a file as its folder', () => `${input}/t.parquet`, 'not a directory'],
    ['nothing', () => '', '--out needs the path of a file'],
  ])('refuses %s as its output', async (_, out, words) => {
    const { code, err } = await evo('import', input, '--out', out());
    expect([code, err]).toEqual([2, expect.stringContaining(words)]);
    expect(read(input)).toBe(TEXT);
  });

  test('leaves what a link to its output leads to', async () => {
    const other = at('other.txt', 'mine');
    symlinkSync('other.txt', at('t.parquet'));
    expect((await evo('import', input, '--out', at('t.parquet'))).code).toBe(0);
    expect(read(other)).toBe('mine');
    expect(read(at('t.parquet')).slice(0, 4)).toBe('PAR1');
  });

  test('beside its input leaves all other files of the folder', async () => {
    at('.evo-import-mine', 'mine');
    expect((await evo('import', input)).code).toBe(0);
    expect(readdirSync(folder).toSorted()).toEqual([
      '.evo-import-mine',
      'mine.jsonl',
      'mine.labels.parquet',
      'mine.parquet',
    ]);
    expect(read(input)).toBe(TEXT);
  });

  test.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
    'that %s ends leaves its input and an earlier table as they are',
    async (signal) => {
      const text = Array.from({ length: 200_000 }, (_, id) => line(`${id}`)).join('\n');
      writeFileSync(input, text);
      const table = at('mine.parquet', 'earlier');
      const { child, ended } = startEvo('import', input);
      const isAtWork = (): boolean =>
        readdirSync(folder).some((name) => name.startsWith('.evo-import-'));
      await vi.waitUntil(isAtWork, { timeout: 60_000, interval: 10 });
      child.kill(signal);
      expect(await ended).toEqual({ code: null, out: '', err: '' });
      expect(isAtWork()).toBe(signal === 'SIGKILL');
      expect(read(input) === text).toBe(true);
      expect(read(table)).toBe('earlier');
    },
    120_000,
  );
});

test('evo health writes its page over no file that it reads', async () => {
  const { code, err } = await evo('health', input, '--html', input);
  expect([code, err]).toEqual([2, expect.stringContaining('would overwrite')]);
  expect(read(input)).toBe(TEXT);
});
