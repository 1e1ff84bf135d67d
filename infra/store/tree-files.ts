// Directories as trees: which files they have, and how an object becomes a file.
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StoreError } from '../../activities/ports/store-error.ts';
import { diskError } from './disk-error.ts';
import { byCodeUnit } from './medium.ts';

/** Relative paths of all files, with `/`, sorted. A link or a device has no content of its own and is refused. */
export async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const paths: string[] = [];
  for (const entry of entries) {
    if (entry.isDirectory()) continue;
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile()) {
      throw new StoreError({
        kind: 'invalid',
        where: path,
        problem: 'only files and folders can be stored',
        cure: 'replace it by a copy of what it points to',
      });
    }
    paths.push(path.slice(join(directory, '/').length).replaceAll('\\', '/'));
  }
  return paths.toSorted(byCodeUnit);
}

/** The file of a tree's path below `directory`; a path that leads outside is refused. */
export function pathInside(directory: string, path: string): string {
  const parts = path.split('/');
  if (isAbsolute(path) || parts.some((part) => part === '' || part === '.' || part === '..')) {
    throw new StoreError({
      kind: 'invalid',
      where: path,
      problem: 'a path of a tree leads outside of it',
      cure: 'do not use this tree; nothing of this program wrote it',
    });
  }
  return join(directory, ...parts);
}

/** Writes a stream into a new file that appears when it is whole. */
export async function fetchInto(stream: Readable, path: string): Promise<void> {
  const temporary = `${path}.${randomUUID()}.part`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await pipeline(stream, createWriteStream(temporary, { flags: 'wx' }));
    await rename(temporary, path);
  } catch (error) {
    stream.destroy();
    await rm(temporary, { force: true });
    throw diskError(error, path);
  }
}
