// A withdrawn incumbent: the generation closes without training, and the next one starts from the previous incumbent.
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { finish, holding } from '../activities/scripted-executor.ts';
import { waitFor, WorkflowBench, type RunningCampaign } from './workflow-bench.ts';

let bench: WorkflowBench;
beforeAll(async () => {
  bench = await WorkflowBench.open(inject('temporalAddress'), inject('bundlePath'));
});
afterAll(async () => bench.close());

const incumbentsOf = async (campaign: RunningCampaign) =>
  (await campaign.ledger()).flatMap((draft) =>
    draft.kind === 'branches-decided' ? [draft.body.incumbent.policy.sha256] : [],
  );

/** Policy that the rollout of a generation played. */
const playedIn = (campaign: RunningCampaign, generation: number) =>
  campaign.executor.submitted
    .filter(({ step, job }) => step === 'rollout' && job.seeds.generation === generation)
    .map(({ inputs }) => inputs['policy']?.ref.sha256);

describe.concurrent('a campaign whose incumbent is withdrawn in generation 3', () => {
  it('trains nothing in it, gives the reason, and continues from the ancestor', async () => {
    const campaign = await bench.campaign({ generations: 4 });
    campaign.fake.withdrawIn = 3;
    await campaign.start();
    await campaign.result();
    const third = (await campaign.ledger()).filter(({ generation }) => generation === 3);
    expect(third.map(({ kind }) => kind)).toEqual([
      'diagnosed',
      'harness-revised',
      'branches-decided',
    ]);
    expect(third[2]).toMatchObject({
      body: {
        branches: [
          { branch: 'b1', decision: 'revert', why: expect.stringMatching(/generation 2/) },
        ],
      },
    });
    const [first, second, withdrawn] = await incumbentsOf(campaign);
    expect(withdrawn).toBe(first);
    expect(withdrawn).not.toBe(second);
    expect(playedIn(campaign, 3)).toEqual([second]);
    expect(playedIn(campaign, 4)).toEqual([first]);
    const shown = (await campaign.status()).generations.find(({ generation }) => generation === 3);
    expect(shown).toMatchObject({ branches: [], notices: [expect.stringMatching(/^b1 promoted/)] });
  });

  it('still continues from the ancestor when it is resumed', async () => {
    const campaign = await bench.campaign({ generations: 4 });
    campaign.fake.withdrawIn = 3;
    campaign.executor.script = (request, claim) =>
      request.job.seeds.generation === 4 ? holding('rollout')(request, claim) : finish(request);
    await campaign.start();
    await campaign.untilStatus('generation 4', ({ generation }) => generation === 4);
    await campaign.untilRunning('rollout');
    await campaign.handle.terminate('lost');
    await waitFor('its jobs to end', () => campaign.executor.running('rollout') === 0);
    campaign.executor.script = finish;
    await campaign.start();
    await campaign.result();
    const [first] = await incumbentsOf(campaign);
    expect(new Set(playedIn(campaign, 4))).toEqual(new Set([first]));
  });
});
