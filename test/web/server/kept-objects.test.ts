import { mkdtempSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ArtifactRef } from '../../../core/schemas/artifact.ts';
import { MemoryStore } from '../../../infra/store/memory/memory-store.ts';
import { KeptObjects } from '../../../web/server/kept-objects.ts';

let store: MemoryStore;
let fetched: string[];
let folder: string;

const kept = (bytesMax?: number): KeptObjects =>
  new KeptObjects(
    {
      readBytes: (ref) => {
        fetched.push(ref.sha256);
        return store.readBytes(ref);
      },
    },
    folder,
    bytesMax,
  );

beforeEach(() => {
  store = new MemoryStore('open');
  fetched = [];
  folder = mkdtempSync(join(tmpdir(), 'evo-kept-'));
});

describe('objects of a remote root', () => {
  it('are fetched once, also by a page that starts again', async () => {
    const ref = await store.putBytes(Buffer.from('a health report'));
    await kept().readBytes(ref);
    expect(Buffer.from(await kept().readBytes(ref)).toString()).toBe('a health report');
    expect(fetched).toHaveLength(1);
  });

  it('are fetched again where the copy was changed', async () => {
    const ref = await store.putBytes(Buffer.from('a health report'));
    await kept().readBytes(ref);
    const file = join(folder, ref.sha256);
    writeFileSync(file, 'a health rumour');
    expect(Buffer.from(await kept().readBytes(ref)).toString()).toBe('a health report');
    expect(readFileSync(file, 'utf8')).toBe('a health report');
    expect(fetched).toHaveLength(2);
  });

  it('take bounded space: the oldest go', async () => {
    const refs: ArtifactRef[] = [];
    for (const letter of 'abcde') refs.push(await store.putBytes(Buffer.alloc(40, letter)));
    const objects = kept(100);
    for (const [age, ref] of refs.entries()) {
      await objects.readBytes(ref);
      // Files that are written within a few milliseconds have one time.
      utimesSync(join(folder, ref.sha256), age, age);
    }
    expect(readdirSync(folder).toSorted()).toEqual(
      refs
        .slice(-2)
        .map(({ sha256 }) => sha256)
        .toSorted(),
    );
  });
});
