// Whether the trainer of this machine is the one that the campaign was calibrated with. The trainer asks that too, but its
// answer is an outcome of the branch, and a machine that was not brought up to date says nothing of an intervention.
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { trainerDigest } from '../../trainer/trainer-digest.ts';
import type { Launch } from './launch.ts';

/** What is wrong, and the cure; null for the right one, and for one that is not the bundled one. */
export async function findOtherTrainer({ job, trainer }: Launch): Promise<string | null> {
  if (!existsSync(join(trainer.cwd, 'evotrainer', '__main__.py'))) return null;
  const expected = job['trainer_digest'];
  const found = await trainerDigest(trainer.cwd);
  if (found === expected) return null;
  const place = `the trainer in ${trainer.cwd} on ${hostname()}`;
  return `${place} is ${found}, the campaign was calibrated with ${String(expected)}: bring EvoTrainer there to the version of the worker`;
}
