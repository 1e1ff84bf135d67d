// A trainer that gives another policy each time: what is repeated changes no verdict and spends no test twice.
import { ApplicationFailure } from '@temporalio/common';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { finish, type JobScript } from '../activities/scripted-executor.ts';
import { ref } from '../core/ledger-fixtures.ts';
import { type RunningCampaign, WorkflowBench } from './workflow-bench.ts';

let bench: WorkflowBench;
beforeAll(async () => {
  bench = await WorkflowBench.open(inject('temporalAddress'), inject('bundlePath'));
});
afterAll(async () => bench.close());

/** Every training that ends, ends with a policy of its own. */
function neverTwice(): JobScript {
  let trainings = 0;
  return (request, claim) => {
    const done = finish(request);
    if (request.job.kind !== 'train') return done;
    if (claim === 1) return 'lose';
    trainings += 1;
    const outputs = { ...done.manifest.outputs, policy: ref(`policy ${trainings}`) };
    return { ...done, manifest: { ...done.manifest, outputs } };
  };
}

async function prepared(): Promise<RunningCampaign> {
  const campaign = await bench.campaign({ generations: 1 });
  campaign.executor.script = neverTwice();
  return campaign;
}

const reservations = async (campaign: RunningCampaign) =>
  (await campaign.ledger()).flatMap((one) => (one.kind === 'test-reserved' ? [one.body] : []));
const verdicts = async (campaign: RunningCampaign) =>
  (await campaign.ledger()).flatMap((one) => (one.kind === 'gate-verdict' ? [one.body] : []));
const blocksOf = (campaign: RunningCampaign) =>
  campaign.executor.submitted.filter(({ step }) => step === 'evaluate.gate');

/** Parks in `activity` once. */
function breakOnce(campaign: RunningCampaign, activity: string): () => void {
  let isBroken = true;
  campaign.fake.hook = (name) => {
    if (name === activity && isBroken) throw ApplicationFailure.nonRetryable('the disk is full');
  };
  return () => {
    isBroken = false;
  };
}

it.each(['promote', 'accumulate'])(
  'a generation that failed in %s and is retried keeps its policies and its test',
  async (activity) => {
    const campaign = await prepared();
    const mend = breakOnce(campaign, activity);
    await campaign.start();
    await campaign.untilParked();
    mend();
    await campaign.update('retry');
    await campaign.result();
    expect(await reservations(campaign)).toHaveLength(1);
    expect(new Set(blocksOf(campaign).map(({ key }) => key)).size).toBe(2);
    expect((await campaign.status()).testsSpent).toBe(1);
  },
);

it('a second campaign of the family takes the trainings, and so the pair with its test', async () => {
  const first = await prepared();
  await first.start();
  await first.result();
  const second = await bench.campaign({ generations: 1 });
  bench.campaigns.set(second.config.name, first.fake);
  await second.start();
  await second.result();
  const [own] = await reservations(first);
  const ledger = await first.fake.ledger(second.config.name);
  const [again] = ledger.flatMap((one) => (one.kind === 'test-reserved' ? [one.body] : []));
  expect(again).toEqual({ ...own, testOfCampaign: 0 });
});

it('a branch that a human has trained again is another challenger: the next test, and no new verdict on the first', async () => {
  const campaign = await prepared();
  const mend = breakOnce(campaign, 'accumulate');
  await campaign.start();
  await campaign.untilParked();
  mend();
  await campaign.update('retry', { from: 'train' });
  await campaign.result();
  expect((await reservations(campaign)).map(({ test }) => test)).toEqual([1, 2]);
  expect((await verdicts(campaign)).map(({ test }) => test)).toEqual([1, 2]);
});
