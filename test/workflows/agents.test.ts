// Specialists whose inquiry waits for an agent of the user's, which calls by updates.
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { readTranscript } from '../../activities/inquiring/transcript.ts';
import type { InquiryView } from '../../core/research/inquiry.ts';
import { STRICT } from '../activities/inquiring/inquiry-bench.ts';
import { call, openInquiryOf, waitingForAgent } from './agent-caller.ts';
import { type RunningCampaign, waitFor, WorkflowBench } from './workflow-bench.ts';

let bench: WorkflowBench;
beforeAll(async () => {
  bench = await WorkflowBench.open(inject('temporalAddress'), inject('bundlePath'));
});
afterAll(async () => bench.close());

const waiting = async (waitH?: number, budget?: object) => waitingForAgent(bench, waitH, budget);

const LOOK = { tool: 'recipe', input: {} };
const SUBMIT = { tool: 'submit', input: { interventions: [STRICT] } };
const inquired = async (campaign: RunningCampaign) =>
  (await campaign.ledger()).flatMap((one) => (one.kind === 'inquired' ? [one.body] : []));

describe.concurrent('an inquiry with an agent', () => {
  it('answers its calls in one transcript, and marks what it offers', async () => {
    const campaign = await waiting();
    const looked = await call(campaign, await openInquiryOf(campaign), LOOK);
    expect((await campaign.status()).agents).toEqual(['reward']);
    expect(looked.closed).toBeNull();
    await campaign.untilStatus(
      'the agent to be awaited',
      ({ generations }) => generations.at(-1)?.agents?.join() === 'reward',
    );
    const ended = await call(campaign, looked, SUBMIT);
    expect(ended.closed).toBe('submitted');
    await campaign.result();
    const [body] = await inquired(campaign);
    expect(body).toMatchObject({
      model: 'an agent 1.0',
      closed: 'submitted',
      offered: ['reward/pay_marked'],
      turns: 2,
      unconfined: true,
      spent: { tokens: 0, microUsd: 0 },
      transcript: ended.head,
    });
    const links = await readTranscript(campaign.fake.open, ended.head);
    expect(links.map(({ message }) => message.role)).toEqual([
      'user',
      'model',
      'tools',
      'model',
      'tools',
    ]);
    const { historySize = 0 } = await campaign.inquiry('reward').describe();
    // 24 turns stay under 100 kB.
    expect(historySize).toBeLessThan(15_000);
  });

  it('refuses a call that goes on from an older link, and one that is none', async () => {
    const campaign = await waiting();
    const before = await openInquiryOf(campaign);
    const looked = await call(campaign, before, LOOK);
    await expect(call(campaign, before, SUBMIT)).rejects.toMatchObject({
      cause: { message: expect.stringContaining('gone on meanwhile') },
    });
    await expect(
      campaign.inquiry('reward').executeUpdate('call', { args: [{ head: 'x' }] }),
    ).rejects.toMatchObject({ cause: { message: expect.stringContaining('Expected') } });
    const missing = { root: 'open', sha256: '0'.repeat(64), sizeBytes: 9 };
    await expect(
      campaign.inquiry('reward').executeUpdate('call', {
        args: [{ head: looked.head.sha256, call: missing }],
      }),
    ).rejects.toMatchObject({ cause: { message: expect.stringContaining('cannot be read') } });
    await call(campaign, looked, SUBMIT);
    await campaign.result();
    expect(await inquired(campaign)).toMatchObject([{ turns: 2, closed: 'submitted' }]);
  });

  it('takes submit alone in its last turn', async () => {
    const campaign = await waiting(1, { turns: 2 });
    const looked = await call(campaign, await openInquiryOf(campaign), LOOK);
    const ended = await call(campaign, looked, LOOK);
    expect(ended.closed).toBe('turns');
    const last = (await readTranscript(campaign.fake.open, ended.head)).at(-1)?.message;
    expect(last).toMatchObject({ answers: [{ text: 'this is the last turn: call submit' }] });
    await campaign.result();
  });

  it('goes on without an agent that does not submit in time', async () => {
    const campaign = await waiting(0.001);
    expect(await campaign.result()).toMatchObject({ how: 'finished' });
    expect(await inquired(campaign)).toMatchObject([
      { closed: 'unavailable', why: expect.stringContaining(`evo mcp ${campaign.config.name}`) },
    ]);
    expect(await campaign.kinds()).toContain('branch-trained');
  });

  it('takes no call while the campaign is paused, and goes on afterwards', async () => {
    const campaign = await waiting();
    const first = await openInquiryOf(campaign);
    await campaign.update('pause');
    await waitFor('the pause to arrive', async () => {
      const view = await campaign.inquiry('reward').query<InquiryView>('inquiry');
      return !view.waits;
    });
    await expect(call(campaign, first, LOOK)).rejects.toMatchObject({
      cause: { message: expect.stringContaining('paused') },
    });
    await campaign.update('resume');
    await call(campaign, await openInquiryOf(campaign), SUBMIT);
    await campaign.result();
  });

  it('keeps what was called when the generation is tried again', async () => {
    const campaign = await waiting();
    const looked = await call(campaign, await openInquiryOf(campaign), LOOK);
    await campaign.update('retry', {});
    const again = await openInquiryOf(campaign, 2);
    expect(again.head).toEqual(looked.head);
    await call(campaign, again, SUBMIT, 2);
    await campaign.result();
    expect((await inquired(campaign)).at(-1)).toMatchObject({ turns: 2, closed: 'submitted' });
  });
});
