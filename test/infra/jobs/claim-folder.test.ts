// The folder of a claim is for its user alone, and nobody else could replace it.
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isPrivate, makeFolder } from '../../../infra/jobs/claim-folder.ts';

let root = '';
let claim = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'evo-claims-'));
  claim = join(root, 'jobs', 'key-roots', '1');
});
afterEach(() => rmSync(root, { recursive: true }));

const NOBODY = 65534;
const rightsOf = (path: string): string => (statSync(path).mode & 0o7777).toString(8);
const job = (): string => dirname(claim);
const jobs = (): string => dirname(job());
const refusal = (path: string) => ({
  kind: 'denied',
  where: path,
  cure: 'set `jobs_folder` to a folder of that user',
});

test('a new one has no rights for others, whatever the umask', async () => {
  const before = process.umask(0);
  await makeFolder(claim).finally(() => process.umask(before));
  expect([claim, job(), jobs()].map(rightsOf)).toEqual(['700', '700', '700']);
});

test('those of an earlier version are closed', async () => {
  mkdirSync(claim, { recursive: true });
  for (const path of [claim, job(), jobs()]) chmodSync(path, 0o755);
  await makeFolder(claim);
  expect([claim, job(), jobs()].map(rightsOf)).toEqual(['700', '700', '700']);
});

test('a jobs folder that is like /tmp stays as it is', async () => {
  mkdirSync(jobs());
  chmodSync(jobs(), 0o1777);
  await makeFolder(claim);
  expect([rightsOf(jobs()), rightsOf(job())]).toEqual(['1777', '700']);
});

test('only a folder in which nobody else could put files is private', async () => {
  expect(await isPrivate(jobs())).toBe(true);
  mkdirSync(jobs());
  expect(await isPrivate(jobs())).toBe(true);
  chmodSync(jobs(), 0o1777);
  expect(await isPrivate(jobs())).toBe(false);
});

test('a link in place of the folder is refused', async () => {
  const elsewhere = join(root, 'elsewhere');
  mkdirSync(join(elsewhere, '1'), { recursive: true });
  mkdirSync(jobs());
  symlinkSync(elsewhere, job());
  await expect(makeFolder(claim)).rejects.toMatchObject(refusal(job()));
});

test.skipIf(process.getuid?.() !== 0)(
  'a folder of another user is refused, be it the jobs folder or the job’s own (needs root)',
  async () => {
    mkdirSync(job(), { recursive: true });
    chownSync(job(), NOBODY, NOBODY);
    await expect(makeFolder(claim)).rejects.toMatchObject(refusal(job()));
    chownSync(job(), 0, 0);
    chownSync(jobs(), NOBODY, NOBODY);
    chmodSync(jobs(), 0o1777);
    await expect(makeFolder(claim)).rejects.toMatchObject(refusal(jobs()));
  },
);
