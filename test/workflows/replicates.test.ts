// Further seeds of a promoted branch and of b0, where the first does not decide the recipe.
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { finish } from '../activities/scripted-executor.ts';
import { WorkflowBench } from './workflow-bench.ts';

let bench: WorkflowBench;
beforeAll(async () => {
  bench = await WorkflowBench.open(inject('temporalAddress'), inject('bundlePath'));
});
afterAll(async () => bench.close());

const campaignOf = async () => bench.campaign({ generations: 1, replicates: { max: 3 } });

it('are trained at once, play SELECT and the problems of the test, and precede the decision', async () => {
  const campaign = await (await campaignOf()).start();
  await campaign.result();
  const steps = campaign.submitted();
  expect(steps.slice(steps.lastIndexOf('evaluate.gate') + 1)).toEqual([
    'evaluate.recipe',
    ...Array.from({ length: 4 }, () => 'train.replicates'),
    'evaluate.replicates',
    'evaluate.recipe',
  ]);
  expect((await campaign.kinds()).filter((kind) => kind === 'recipe-decided')).toHaveLength(1);
  expect(await campaign.historyBytes(1)).toBeLessThan(150_000);
});

it('stop for a pause and continue after it', async () => {
  const campaign = await campaignOf();
  campaign.executor.script = (request) =>
    request.step === 'train.replicates' ? 'hold' : finish(request);
  await campaign.start();
  await campaign.untilRunning('train.replicates', 4);
  await campaign.update('pause', { mode: 'checkpoint', id: 'm1' });
  await campaign.untilRunning('train.replicates', 0);
  await campaign.update('resume', { id: 'm2' });
  await campaign.untilRunning('train.replicates', 4);
  campaign.executor.release('train.replicates');
  expect(await campaign.result()).toMatchObject({ how: 'finished' });
});

it('may diverge: that is a result, and the campaign decides with it', async () => {
  const campaign = await campaignOf();
  campaign.executor.script = (request) =>
    request.step === 'train.replicates' && request.job.seeds.replicate === 2
      ? { status: 'diverged', message: 'the loss is not a number' }
      : finish(request);
  await campaign.start();
  expect(await campaign.result()).toMatchObject({ how: 'finished' });
  expect(campaign.submitted().slice(-2)).toEqual(['evaluate.replicates', 'evaluate.recipe']);
});
