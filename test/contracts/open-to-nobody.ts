// What another user of this machine can reach, found by being that user.
import { execFileSync } from 'node:child_process';
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { OTHERS } from '../../infra/machine/private-files.ts';

const isRoot = process.getuid?.() === 0;

/** The reason for skipping, for titles; empty if the tests run. */
export const nobodyMissing = isRoot ? '' : ' (not run: only root can become another user)';

const TRY =
  'while IFS= read -r path; do if [ -r "$path" ] || [ -w "$path" ] || [ -x "$path" ]; then echo "$path"; fi; done';

/** All paths at and below the folder, by the exact name, that user nobody can read, list, write or enter. Links apart. */
export function openToNobody(folder: string): string[] {
  const id = Number(execFileSync('id', ['-u', 'nobody'], { encoding: 'utf8' }));
  const input = [folder, ...pathsBelow(folder)].map((path) => `${path}\n`).join('');
  const options = { uid: id, gid: id, cwd: '/', env: { PATH: '/usr/bin:/bin' }, input } as const;
  const found = execFileSync('sh', ['-c', TRY], { ...options, encoding: 'utf8' });
  return found.split('\n').filter((path) => path !== '');
}

/** All paths below the folder that have a right for group or others. Links, which have none of their own, apart. */
export function withRightsForOthers(folder: string): string[] {
  return pathsBelow(folder).filter((path) => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found !== undefined && (found.mode & OTHERS) !== 0;
  });
}

function pathsBelow(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isSymbolicLink())
    .map(({ parentPath, name }) => join(parentPath, name));
}
