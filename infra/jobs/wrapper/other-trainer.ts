// Checks that the trainer of this machine is the one that the campaign was calibrated with. The trainer checks that
// too, but its answer would be an outcome of the branch, and an outdated machine is not evidence against an
// intervention.
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { messageOf } from '../../../core/message-of.ts';
import { PYTHON_ENVIRONMENTS } from '../../../core/python-environments.ts';
import { trainerDigest } from '../../trainer/trainer-digest.ts';
import type { Launch } from './launch.ts';

const environmentsSchema = z.array(z.enum(PYTHON_ENVIRONMENTS)).default([]);

/** The problem and its cure; null for the right trainer, and for one that is not ours. */
export async function findOtherTrainer({ job, trainer }: Launch): Promise<string | null> {
  if (!existsSync(join(trainer.cwd, 'evotrainer', '__main__.py'))) return null;
  const expected = job['trainer_digest'];
  const environments = environmentsSchema.parse(job['python_environments']);
  const found = await trainerDigest(trainer.cwd, environments).catch(messageOf);
  if (found === expected) return null;
  const place = `the trainer in ${trainer.cwd} on ${hostname()}`;
  return `${place} is ${found}, the campaign was calibrated with ${String(expected)}: bring EvoTrainer there to the version of the worker`;
}
