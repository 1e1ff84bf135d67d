// Kept columns can be computed again, so of all that was ever kept only the newest stay.
import { readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Sixty columns of a thousand trajectories take a megabyte: that is some thousands of sets. */
export const KEPT_BYTES_MAX = 4 * 2 ** 30;

/**
 * Removes files from the oldest on until what is under `directory` takes no more than `bytesMax`. Whoever has one open
 * keeps it; whoever finds one gone computes it again. The newest stays whatever it takes, for it is about to be read.
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
