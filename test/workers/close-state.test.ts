// The state folder of an earlier version is closed; a folder that others share is refused and left as it is.
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { statePaths } from '../../workers/paths.ts';
import { closeState } from '../../workers/supervise/close-state.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'evo-state-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const rightsOf = (path: string): string => (statSync(path).mode & 0o7777).toString(8);
const put = (path: string): string => {
  writeFileSync(path, '');
  chmodSync(path, 0o664);
  return path;
};

test('a new state folder is for its user alone', () => {
  const paths = statePaths(join(folder, 'a', 'state'));
  closeState(paths);
  expect(rightsOf(paths.root)).toBe('700');
});

test('what an earlier version left open is closed, and nothing else in the folder', () => {
  const paths = statePaths(folder);
  chmodSync(folder, 0o755);
  const object = join(paths.sealedStore, 'objects', 'one');
  mkdirSync(join(paths.sealedStore, 'objects'), { recursive: true });
  const program = put(join(paths.root, 'program'));
  const ours = [
    put(object),
    put(`${paths.temporalDatabase}-wal`),
    put(paths.temporalDatabase),
    put(`${paths.supervisorState}.123`),
  ];
  chmodSync(object, 0o755);
  symlinkSync(program, join(paths.sealedStore, 'link'));
  closeState(paths);
  expect(ours.map(rightsOf)).toEqual(['700', '600', '600', '600']);
  expect([paths.root, paths.sealedStore].map(rightsOf)).toEqual(['700', '700']);
  expect(rightsOf(program)).toBe('664');
});

test('a folder that users share, such as /tmp, is refused with the cure', () => {
  chmodSync(folder, 0o1777);
  expect(() => closeState(statePaths(folder))).toThrow(
    `the state folder ${folder} cannot be kept private (it is a folder that users share, such as /tmp): choose a folder of your own with EVO_STATE_DIR`,
  );
  expect(rightsOf(folder)).toBe('1777');
});
