// Removes the oldest kept columns. They can be computed again.
import { readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Some thousands of sets: sixty columns of a thousand trajectories take a megabyte. */
export const KEPT_BYTES_MAX = 4 * 2 ** 30;

/**
 * Removes files, oldest first, until `directory` holds at most `bytesMax`. A process that has a removed file open keeps
 * it; one that misses it computes it again. The newest file always stays, because it is about to be read.
 */
export async function pruneKept(directory: string, bytesMax: number): Promise<void> {
  const names = await readdir(directory, { recursive: true });
  const files: { path: string; bytes: number; modifiedMs: number }[] = [];
  for (const name of names.filter((one) => one.endsWith('.duckdb'))) {
    const path = join(directory, name);
    // Another process may have removed it.
    const found = await stat(path).catch(() => null);
    if (found !== null) files.push({ path, bytes: found.size, modifiedMs: found.mtimeMs });
  }
  let total = 0;
  const newestFirst = files.toSorted((one, other) => other.modifiedMs - one.modifiedMs);
  for (const [age, { path, bytes }] of newestFirst.entries()) {
    total += bytes;
    if (total <= bytesMax || age === 0) continue;
    await rm(path.replace(/duckdb$/, 'json'), { force: true });
    await rm(path, { force: true });
    await removeIfEmpty(dirname(path));
  }
}

async function removeIfEmpty(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => ['gone']);
  if (names.length === 0) await rm(folder, { recursive: true, force: true });
}
