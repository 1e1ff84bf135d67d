// Examines this machine before it gets a job; evo doctor compares the result with what the campaign needs.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { messageOf } from '../../../core/message-of.ts';
import { openStore } from '../../store/open-store.ts';
import { trainerDigest } from '../../trainer/trainer-digest.ts';
import type { StoreAddress } from '../wrapper/launch.ts';

export const examinationSchema = z.object({
  now_ms: z.number(),
  cores: z.int(),
  memory_gb: z.number(),
  free_gb: z.number().describe('on the disk of EvoTrainer'),
  gpus: z.int().describe('that nvidia-smi lists; 0 without it'),
  trainer_digest: z.string().nullable().describe('null: there is no trainer in the folder'),
  trainer_ready: z.boolean().describe('its Python environment is set up'),
  store_problem: z.string().nullable().describe('why the open root cannot be read from there'),
});
export type Examination = z.infer<typeof examinationSchema>;

const GIGABYTE = 2 ** 30;

/** Of the machine that this runs on, with EvoTrainer in `folder`. */
export async function examine(folder: string, open: StoreAddress): Promise<Examination> {
  const trainer = join(folder, 'trainer');
  const { bavail, bsize } = await statfs(folder);
  return {
    now_ms: Date.now(),
    cores: availableParallelism(),
    memory_gb: totalmem() / GIGABYTE,
    free_gb: (bavail * bsize) / GIGABYTE,
    gpus: await countGpus(),
    trainer_digest: await trainerDigest(trainer).catch(() => null),
    trainer_ready: existsSync(join(trainer, '.venv/bin/python')),
    store_problem: await findStoreProblem(open),
  };
}

async function countGpus(): Promise<number> {
  try {
    const { stdout } = await promisify(execFile)('nvidia-smi', ['-L']);
    return stdout.split('\n').filter((line) => line.startsWith('GPU ')).length;
  } catch {
    return 0;
  }
}

/** A key that nothing has: who may not read, or cannot reach the store, learns of it. */
async function findStoreProblem({ url, s3 }: StoreAddress): Promise<string | null> {
  try {
    await openStore(url, 'open', { s3 }).readManifest('doctor/none.json');
    return null;
  } catch (error) {
    return messageOf(error);
  }
}
