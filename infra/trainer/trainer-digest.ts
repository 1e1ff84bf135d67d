// The trainer digest over the code and packages that a job would run, computed as `python -m evotrainer --digest` does.
import { createHash } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const COVERED = ['evotrainer/**/*.py', 'contract/*.json', 'uv.lock'];

/**
 * sha256 over one line per file, `<sha256>  <path>\n`, sorted by path as UTF-8 bytes; paths are relative to `trainer/`.
 * Throws if the folder is not a trainer.
 */
export async function trainerDigest(trainerFolder: string): Promise<string> {
  const paths: string[] = [];
  for await (const path of glob(COVERED, { cwd: trainerFolder }))
    paths.push(path.replaceAll('\\', '/'));
  if (!paths.includes('uv.lock'))
    throw new Error(`${trainerFolder} is not a trainer folder: uv.lock is missing`);
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
