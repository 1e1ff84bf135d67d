import { expect, test } from 'vitest';
import { findOtherTrainer } from '../../../infra/jobs/wrapper/other-trainer.ts';
import { launchSchema } from '../../../infra/jobs/wrapper/launch.ts';
import type { Launch } from '../../../infra/jobs/wrapper/launch.ts';
import { trainerDigest } from '../../../infra/trainer/trainer-digest.ts';
import { trainerFolder } from '../../../workers/compose-trainer.ts';

const launchOf = (digest: string, cwd: string): Launch =>
  launchSchema.parse({
    version: 1,
    folder: '/jobs/1',
    request: {
      version: 1,
      key: 'ab'.repeat(32),
      claim: 1,
      campaign: 'demo',
      step: 'train',
      sealed: false,
      inputs: {},
      resume: [],
    },
    job: { trainer_digest: digest },
    open: { url: 'file:///store' },
    sealed: null,
    gateSecret: null,
    slots: null,
    spotNotice: null,
    mirrorsLog: false,
    trainer: { command: ['python'], cwd, variables: {} },
    limits: { stallMs: 1, checkpointGraceMs: 0, pollMs: 1, beatMs: null },
  });

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
