// The trainer digest, computed as `python -m evotrainer --digest` does: which code and packages a job would run.
import { createHash } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const COVERED = ['evotrainer/**/*.py', 'contract/*.json', 'uv.lock'];

/**
 * sha256 over one line a file, `<sha256>  <path>\n`, sorted by path as UTF-8 bytes; paths are relative to `trainer/`.
 * Throws where the folder is no trainer, naming it.
 */
export async function trainerDigest(trainerFolder: string): Promise<string> {
  const paths: string[] = [];
  for await (const path of glob(COVERED, { cwd: trainerFolder }))
    paths.push(path.replaceAll('\\', '/'));
  if (!paths.includes('uv.lock'))
    throw new Error(`${trainerFolder} holds no trainer: uv.lock is missing`);
  paths.sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
  const total = createHash('sha256');
  for (const path of paths) {
    const digest = createHash('sha256')
      .update(await readFile(join(trainerFolder, path)))
      .digest('hex');
    total.update(`${digest}  ${path}\n`);
  }
  return total.digest('hex');
}
