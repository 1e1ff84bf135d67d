import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { digestOfSources, keptBundle } from '../../workers/workflow-bundle.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'evo-bundle-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('a kept bundle', () => {
  const unused = (): Promise<string> => Promise.reject(new Error('bundled again'));

  it('is made once for a state of the sources', async () => {
    expect(await keptBundle(folder, 'a', async () => 'first')).toEqual({ code: 'first' });
    expect(await keptBundle(folder, 'a', unused)).toEqual({ code: 'first' });
  });

  it('makes way for the one of changed sources', async () => {
    await keptBundle(folder, 'a', async () => 'first');
    expect(await keptBundle(folder, 'b', async () => 'second')).toEqual({ code: 'second' });
    expect(await readdir(folder)).toHaveLength(1);
    expect(await keptBundle(folder, 'b', unused)).toEqual({ code: 'second' });
  });

  it('is made anew where its file is damaged', async () => {
    await keptBundle(folder, 'a', async () => 'first');
    const [name = ''] = await readdir(folder);
    await writeFile(join(folder, name), 'fir');
    expect(await keptBundle(folder, 'a', async () => 'first')).toEqual({ code: 'first' });
    expect(await keptBundle(folder, 'a', unused)).toEqual({ code: 'first' });
  });

  it('is done without where nothing can be kept', async () => {
    const file = join(folder, 'a-file');
    await writeFile(file, '');
    expect(await keptBundle(file, 'a', async () => 'first')).toEqual({ code: 'first' });
  });
});

describe('the digest of the sources', () => {
  it('tells another text, another file and other versions of packages apart', async () => {
    const write = async (path: string, text: string): Promise<string> => {
      await mkdir(join(folder, path, '..'), { recursive: true });
      await writeFile(join(folder, path), text);
      return digestOfSources(folder);
    };
    const seen = [
      await write('workflows/a.ts', '1'),
      await write('workflows/a.ts', '2'),
      await write('core/schemas/b.ts', '2'),
      await write('package-lock.json', '{}'),
    ];
    expect(new Set(seen).size).toBe(4);
    expect(await write('cli/c.ts', '3')).toBe(seen.at(-1));
  });
});
