// The files that an import reads and writes. What it reads is never written over: files are compared by what they are on
// the disk, so that links and other paths to the same file are seen.
import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { UserFault } from '../../core/user-fault.ts';
import { systemCode } from '../store/disk-error.ts';
import { notAFile, systemProblem, whyUnreadable } from '../user-files/file-kind.ts';

/** Throws UserFault for what cannot be read. */
export async function statInput(path: string): Promise<Stats> {
  try {
    return await stat(path);
  } catch (cause) {
    throw new UserFault(whyUnreadable(path, cause), { cause });
  }
}

export function refuseUnlessFile(path: string, found: Stats): void {
  const problem = notAFile(found);
  if (problem !== null) throw new UserFault(`${path} ${problem}`);
}

/** Throws UserFault unless every input is a file and no output is one of them, or anything else than a file. */
export async function checkPlaces(
  inputs: readonly string[],
  outputs: readonly string[],
): Promise<void> {
  const read = new Map<string, string>();
  for (const path of inputs) {
    const found = await statInput(path);
    refuseUnlessFile(path, found);
    read.set(await identityOf(path), path);
  }
  for (const path of outputs) {
    const found = await stat(path).catch((cause: unknown) => {
      if (systemCode(cause) === 'ENOENT') return null;
      throw new UserFault(`${path} cannot be written: ${systemProblem(cause)}`, { cause });
    });
    if (found === null) continue;
    const input = read.get(await identityOf(path));
    if (input !== undefined) {
      const same = input === path ? '' : `, which is ${input}`;
      throw new UserFault(
        `${path} would overwrite the file that is read${same}: name another with --out`,
      );
    }
    if (!found.isFile()) throw new UserFault(`${path} is not a file: name another with --out`);
  }
}

/** The same for all paths and links to one file. */
async function identityOf(path: string): Promise<string> {
  const { dev, ino } = await stat(path, { bigint: true });
  return `${dev}:${ino}`;
}
