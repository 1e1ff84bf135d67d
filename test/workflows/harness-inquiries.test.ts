// The specialist of the harness: it is asked before the harness is revised, and only where a gap holds.
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { REWARD, submit } from '../activities/inquiring/inquiry-bench.ts';
import { holding } from '../activities/scripted-executor.ts';
import { askerOf, askingCampaign, inquired, type ModelScript } from './asking-campaign.ts';
import { WorkflowBench } from './workflow-bench.ts';

let bench: WorkflowBench;
beforeAll(async () => {
  bench = await WorkflowBench.open(inject('temporalAddress'), inject('bundlePath'));
});
afterAll(async () => bench.close());

const READER = { name: 'reader', surfaces: ['harness'], instructions: 'You own detectors.' };
const NOTHING = submit({ nothing: 'it is sound' });
const asking = async (script: ModelScript, more?: object) => askingCampaign(bench, script, more);

describe.concurrent('a generation with a specialist of the harness', () => {
  it('asks the specialist of the harness before it revises, where a gap holds', async () => {
    const detector = {
      kind: 'detector',
      name: 'repeats_a_step',
      description: 'A step is written twice.',
      sql: 'len(answers) > 1',
      why: 'what is paid and wrong repeats itself',
    };
    const { campaign } = await asking(
      (request) => (askerOf(request) === 'reader' ? submit({ revisions: [detector] }) : NOTHING),
      { specialists: [REWARD, READER, 'catalog'] },
    );
    let offers: unknown;
    campaign.fake.hook = (activity, input) => {
      if (activity === 'revise') ({ offers } = input as { offers?: unknown });
    };
    campaign.fake.bottleneck = 'nobody_answers_this';
    await (await campaign.start()).result();
    const kinds = await campaign.kinds();
    expect(kinds.slice(kinds.indexOf('diagnosed'), kinds.indexOf('proposed') + 1)).toEqual([
      'diagnosed',
      'inquired',
      'harness-revised',
      'inquired',
      'proposed',
    ]);
    const [first, second] = await inquired(campaign);
    expect(first).toMatchObject({ specialist: 'reader', offered: ['reader/repeats_a_step'] });
    expect(offers).toEqual(first?.offers);
    expect(second).toMatchObject({ specialist: 'reward', campaignSpent: { tokens: 220 } });
  });

  it('does not ask the specialist of the harness without a gap', async () => {
    const { campaign } = await asking(() => NOTHING, { specialists: [READER, 'catalog'] });
    await (await campaign.start()).result();
    expect(await campaign.kinds()).not.toContain('inquired');
  });

  it('asks it anew, and revises anew, after a retry from revise alone', async () => {
    const { campaign, requests } = await asking(() => NOTHING, {
      specialists: [REWARD, READER, 'catalog'],
    });
    campaign.fake.bottleneck = 'nobody_answers_this';
    campaign.executor.script = holding('train');
    const redone: unknown[] = [];
    campaign.fake.hook = (activity, input) => {
      if (activity === 'revise') redone.push((input as { redo: number }).redo);
    };
    const asked = () => requests.map(askerOf).toSorted();
    await campaign.start();
    await campaign.untilRunning('train', 2);
    expect(asked()).toEqual(['reader', 'reward']);
    for (const [attempt, from] of [
      [2, 'propose'],
      [3, 'revise'],
    ] as const) {
      await campaign.update('retry', { from });
      await campaign.untilStatus(
        `attempt ${attempt}`,
        ({ generations }) => generations[0]?.attempt === attempt,
      );
      await campaign.untilRunning('train', 2);
    }
    expect(asked()).toEqual(['reader', 'reader', 'reward', 'reward', 'reward']);
    expect(redone).toEqual([0, 0, 1]);
    campaign.executor.release('train');
    await campaign.result();
  });
});
