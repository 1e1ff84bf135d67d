import { expect, test } from 'vitest';
import { findOtherTrainer } from '../../../infra/jobs/wrapper/other-trainer.ts';
import type { Launch } from '../../../infra/jobs/wrapper/launch.ts';
import { trainerDigest } from '../../../infra/trainer/trainer-digest.ts';
import { trainerFolder } from '../../../workers/compose-trainer.ts';
import { plainLaunch } from '../../contracts/plain-launch.ts';

const launchOf = (digest: string, cwd: string): Launch =>
  plainLaunch({ job: { trainer_digest: digest }, cwd });

test('another version of the bundled trainer is named with the cure, before it can speak against a branch', async () => {
  const own = await trainerDigest(trainerFolder);
  expect(await findOtherTrainer(launchOf(own, trainerFolder))).toBeNull();
  const told = await findOtherTrainer(launchOf('00'.repeat(32), trainerFolder));
  expect(told).toContain(own);
  expect(told).toContain('bring EvoTrainer there to the version of the worker');
});

test('a trainer that is not the bundled one answers for itself', async () => {
  expect(await findOtherTrainer(launchOf('00'.repeat(32), '/'))).toBeNull();
});
