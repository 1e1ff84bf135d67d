// What humans send, by signal and by update, and what becomes of it.
import { ApplicationFailure } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { finish, holding } from '../activities/scripted-executor.ts';
import { taskFailures, until, World, type Campaign } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open(inject('temporalAddress'), inject('bundlePath'));
});
afterAll(async () => world.close());

const PATCH = [{ op: 'replace', path: '/rollout/max_tokens', value: 99 }];
const injection = (hypothesis: string) => ({ intervention: { patch: PATCH, hypothesis } });
const abort = async (campaign: Campaign) => {
  await campaign.update('abort', { reason: 'the test is over' });
  await campaign.result();
};

/** A campaign whose jobs of these steps run until they are released; the first of them runs. */
async function held(...steps: readonly [string, ...string[]]): Promise<Campaign> {
  const campaign = await world.campaign();
  campaign.executor.script = holding(...steps);
  await campaign.start();
  await campaign.untilRunning(steps[0], steps[0] === 'train' ? 2 : 1);
  return campaign;
}

describe.concurrent('pause', () => {
  it('lets running jobs finish and starts nothing new until resume', async () => {
    const campaign = await held('rollout');
    expect(await campaign.update('pause', { by: 'ada' })).toEqual({ accepted: true, reason: null });
    campaign.executor.release('rollout');
    await until('the rollout to be seen', async () =>
      (await campaign.generation(1).fetchHistory()).events?.some(
        ({ activityTaskCompletedEventAttributes: done }) => done?.result?.payloads?.[0]?.data,
      ),
    );
    expect(await campaign.status()).toMatchObject({ phase: 'paused', step: 'rollout' });
    expect(campaign.submitted().at(-1)).toBe('rollout');
    await campaign.update('resume');
    expect(await campaign.result()).toMatchObject({ how: 'finished' });
    expect(campaign.executor.cancelled).toEqual([]);
  });

  it('frees the slots at a checkpoint, and resume asks for the same jobs again', async () => {
    const campaign = await held('train');
    await campaign.signal('pause', { mode: 'checkpoint' });
    await until('both jobs to end', () => campaign.executor.cancelled.length === 2);
    expect(campaign.executor.cancelled.map(({ mode }) => mode)).toEqual([
      'checkpoint',
      'checkpoint',
    ]);
    const keys = () =>
      campaign.executor.submitted.filter(({ step }) => step === 'train').map(({ key }) => key);
    const before = keys();
    campaign.executor.script = finish;
    await campaign.signal('resume');
    expect(await campaign.result()).toMatchObject({ how: 'finished' });
    expect(new Set(keys())).toEqual(new Set(before));
    expect(keys()).toHaveLength(4);
  });

  it('goes over from drain to checkpoint when it is sent again', async () => {
    const campaign = await held('rollout');
    await campaign.update('pause');
    expect(campaign.executor.cancelled).toEqual([]);
    await campaign.update('pause', { mode: 'checkpoint' });
    await until('the job to end', () => campaign.executor.cancelled.length === 1);
    await abort(campaign);
  });

  it('holds back calibration too', async () => {
    const campaign = await held('warmup');
    await campaign.update('pause');
    campaign.executor.release('warmup');
    expect(await campaign.status()).toMatchObject({ phase: 'paused', step: 'calibrate' });
    await campaign.update('resume');
    expect(await campaign.result()).toMatchObject({ how: 'finished' });
  });

  it('that comes while calibration is written opens no generation until resume', async () => {
    const campaign = await held('warmup');
    campaign.fake.hook = async (activity) => {
      if (activity === 'appendLedger') await campaign.signal('pause', { id: 'm1' });
    };
    campaign.executor.release('warmup');
    await campaign.untilStatus('calibration', ({ incumbent }) => incumbent !== null);
    expect(await campaign.status()).toMatchObject({ phase: 'paused', step: null });
    campaign.fake.hook = () => undefined;
    await campaign.update('resume');
    expect(await campaign.result()).toMatchObject({ how: 'finished' });
  });
});

describe.concurrent('inject', () => {
  it('takes a place among the interventions of the next propose', async () => {
    const campaign = await held('rollout');
    expect(await campaign.update('inject', injection('if X then Y'))).toMatchObject({
      accepted: true,
    });
    expect((await campaign.status()).pendingInterventions).toMatchObject([{ id: 'h1' }]);
    campaign.executor.release('rollout');
    await campaign.result();
    expect(await campaign.ledger()).toContainEqual(
      expect.objectContaining({
        kind: 'branch-trained',
        body: expect.objectContaining({
          branch: 'b1',
          intervention: expect.objectContaining({ id: 'h1', hypothesis: 'if X then Y' }),
        }),
      }),
    );
    expect((await campaign.status()).pendingInterventions).toEqual([]);
  });

  it('that does not fit is refused with the reason', async () => {
    const campaign = await held('rollout');
    const intervention = { operator: 'magic', hypothesis: 'if X then Y' };
    expect(await campaign.update('inject', { intervention })).toMatchObject({
      accepted: false,
      reason: expect.stringContaining("no operator 'magic'"),
    });
    await abort(campaign);
  });

  it('comes in as often as it is sent, at once, each under its own id', async () => {
    const campaign = await held('rollout');
    const texts = ['one', 'two', 'three'];
    await Promise.all(texts.map(async (text) => campaign.update('inject', injection(text))));
    const { pendingInterventions } = await campaign.status();
    expect(new Set(pendingInterventions.map(({ id }) => id)).size).toBe(3);
    expect(new Set(pendingInterventions.map(({ hypothesis }) => hypothesis))).toEqual(
      new Set(texts),
    );
    expect(await taskFailures(campaign.handle)).toEqual([]);
    await abort(campaign);
  });

  it('is heard once under one id, however often and however fast it is sent', async () => {
    const campaign = await held('rollout');
    const message = { id: 'm1', ...injection('if X then Y') };
    const sent = Array.from({ length: 4 }, async () => campaign.update('inject', message));
    expect((await Promise.all(sent)).every(({ accepted }) => accepted)).toBe(true);
    expect((await campaign.status()).pendingInterventions).toHaveLength(1);
    await abort(campaign);
  });

  it('that nobody can check is refused and breaks nothing', async () => {
    const campaign = await held('rollout');
    campaign.fake.hook = (activity) => {
      if (activity === 'checkInjection')
        throw ApplicationFailure.nonRetryable('the disk is damaged');
    };
    await campaign.signal('inject', injection('if X then Y'));
    const { messages } = await campaign.untilStatus(
      'an answer',
      (view) => view.messages.length > 0,
    );
    expect(messages).toMatchObject([
      { accepted: false, reason: 'it could not be checked: the disk is damaged' },
    ]);
    await abort(campaign);
  });
});

describe.concurrent('stop', () => {
  it('ends the campaign after the open generation', async () => {
    const campaign = await world.campaign({ generations: 3 });
    campaign.executor.script = holding('rollout');
    await campaign.start();
    await campaign.untilRunning('rollout');
    await campaign.update('stop');
    campaign.executor.release('rollout');
    expect(await campaign.result()).toMatchObject({ how: 'stopped', generation: 1 });
    expect((await campaign.ledger()).at(-1)).toMatchObject({
      kind: 'campaign-ended',
      by: 'human',
      body: { how: 'stopped' },
    });
  });

  it('ends at once a campaign that is paused between generations', async () => {
    const campaign = await held('warmup');
    campaign.fake.hook = async (activity) => {
      if (activity === 'calibrate') await campaign.signal('pause');
    };
    campaign.executor.release('warmup');
    await campaign.untilStatus('a calibrated campaign', ({ incumbent }) => incumbent !== null);
    await campaign.update('stop');
    expect(await campaign.result()).toMatchObject({ how: 'stopped', generation: 0 });
  });
});

describe.concurrent('abort', () => {
  it('cancels what is open, ends its jobs and keeps the incumbent', async () => {
    const campaign = await held('train');
    await campaign.update('abort', { reason: 'enough', by: 'ada' });
    expect(await campaign.result()).toEqual({
      how: 'aborted',
      generation: 0,
      incumbentSelectMean: 0.4,
    });
    expect(campaign.executor.running('train')).toBe(0);
    expect((await campaign.ledger()).at(-1)).toMatchObject({ body: { reason: 'enough' } });
    const children = [campaign.generation(1), campaign.branch('b0'), campaign.branch('b1')];
    const states = await Promise.all(
      children.map(async (child) => (await child.describe()).status.name),
    );
    expect(states).toEqual(['CANCELLED', 'CANCELLED', 'CANCELLED']);
  });

  it('acts during a pause before anything is open', async () => {
    const campaign = await held('warmup');
    campaign.fake.hook = async (activity) => {
      if (activity === 'calibrate') await campaign.signal('pause');
    };
    campaign.executor.release('warmup');
    await campaign.untilStatus('a calibrated campaign', ({ incumbent }) => incumbent !== null);
    await campaign.update('abort', { reason: 'enough' });
    expect(await campaign.result()).toMatchObject({ how: 'aborted' });
    expect(campaign.submitted()).not.toContain('rollout');
  });

  it('acts during calibration, and what humans said is in the ledger', async () => {
    const campaign = await held('warmup');
    await campaign.update('abort', { reason: 'enough' });
    expect(await campaign.result()).toMatchObject({ how: 'aborted', incumbentSelectMean: null });
    expect(campaign.executor.running('warmup')).toBe(0);
    expect(await campaign.kinds()).toEqual(['message-received']);
  });

  it('is not undone by a retry that follows it', async () => {
    const campaign = await held('rollout');
    await campaign.signal('abort', { reason: 'enough' });
    await campaign.signal('retry').catch(() => undefined);
    expect(await campaign.result()).toMatchObject({ how: 'aborted' });
  });

  it('lets the campaign be taken up again: no job answers with its old cancellation', async () => {
    const campaign = await held('rollout');
    await abort(campaign);
    campaign.executor.script = finish;
    await campaign.start();
    expect(await campaign.result()).toMatchObject({ how: 'finished', generation: 1 });
  });
});

describe.concurrent('a malformed message', () => {
  const malformed: readonly [string, unknown][] = [
    ['pause', { mode: 'sideways' }],
    ['pause', 7],
    ['pause', 'now'],
    ['pause', [1, 2]],
    ['resume', { surprise: true }],
    ['inject', {}],
    ['inject', { intervention: { operator: 'a', patch: PATCH, hypothesis: 'both' } }],
    ['retry', { from: 'lunch' }],
    ['skip', {}],
    ['abort', { reason: '' }],
    ['stop', { id: 7 }],
  ];

  it('as a signal is recorded as refused, with the reason, and fails nothing', async () => {
    const campaign = await held('rollout');
    for (const [name, payload] of malformed) await campaign.signal(name, payload);
    const { messages } = await campaign.untilStatus(
      'every message',
      (view) => view.messages.length === malformed.length,
    );
    expect(messages.filter(({ accepted }) => accepted)).toEqual([]);
    expect(
      messages.map(({ reason }, index) => reason?.startsWith(malformed[index]?.[0] ?? '?')),
    ).toEqual(malformed.map(() => true));
    campaign.executor.release('rollout');
    expect(await campaign.result()).toMatchObject({ how: 'finished' });
    const recorded = (await campaign.ledger()).filter(({ kind }) => kind === 'message-received');
    expect(recorded).toHaveLength(malformed.length);
    expect(await taskFailures(campaign.handle)).toEqual([]);
  });

  it('as an internal signal is ignored', async () => {
    const campaign = await held('rollout');
    for (const name of ['progress', 'control', 'unheard-of']) {
      for (const payload of [undefined, null, 7, {}, { view: {}, written: 1 }]) {
        await campaign.signal(name, payload);
        await campaign.generation(1).signal(name, payload);
      }
    }
    campaign.executor.release('rollout');
    expect(await campaign.result()).toMatchObject({ how: 'finished' });
    const handles = [campaign.handle, campaign.generation(1)];
    expect((await Promise.all(handles.map(taskFailures))).flat()).toEqual([]);
  });

  it('as an update is rejected by its validator, naming the field and what is expected', async () => {
    const campaign = await held('rollout');
    await expect(campaign.update('pause', { mode: 'sideways' })).rejects.toMatchObject({
      cause: {
        type: 'MalformedMessage',
        message: expect.stringMatching(/pause: mode: .*Expected \{/),
      },
    });
    expect((await campaign.status()).messages).toEqual([]);
    await abort(campaign);
  });

  it('does not take the id from the corrected one', async () => {
    const campaign = await held('rollout');
    await campaign.signal('pause', { id: 'm1', mode: 'drian' });
    await campaign.signal('pause', { id: 'm1', mode: 'drain' });
    const { messages } = await campaign.untilStatus('a pause', ({ phase }) => phase === 'paused');
    expect(messages.map(({ id, accepted }) => [id, accepted])).toEqual([
      ['m1', false],
      ['m1', true],
    ]);
    await abort(campaign);
  });
});

describe.concurrent('a well-formed message', () => {
  it('that does not apply is answered with the reason', async () => {
    const campaign = await held('rollout');
    expect(await campaign.update('resume')).toEqual({
      accepted: false,
      reason: 'the campaign is not paused',
    });
    expect(await campaign.update('skip', { reason: 'later' })).toMatchObject({ accepted: false });
    await abort(campaign);
  });

  it('without a payload is taken: pause needs none', async () => {
    const campaign = await held('rollout');
    await campaign.signal('pause');
    await campaign.untilStatus('a pause', ({ pause }) => pause?.mode === 'drain');
    await abort(campaign);
  });

  it('waits until the ledger has told what went before', async () => {
    const campaign = await world.campaign();
    let open = () => undefined as void;
    const opened = new Promise<void>((resolve) => (open = resolve));
    campaign.fake.hook = async (activity) => (activity === 'openCampaign' ? opened : undefined);
    await campaign.start();
    await campaign.signal('pause', { id: 'early' });
    expect((await campaign.status()).messages).toEqual([]);
    open();
    await campaign.untilStatus('the pause', ({ phase }) => phase === 'paused');
    await abort(campaign);
  });

  it('is written by the open generation at its next step end, by the campaign between', async () => {
    const campaign = await held('rollout');
    await campaign.update('pause', { id: 'during', by: 'ada' });
    await campaign.update('resume', { id: 'again' });
    campaign.executor.release('rollout');
    await campaign.result();
    expect((await campaign.kinds()).slice(0, 4)).toEqual([
      'calibrated',
      'message-received',
      'message-received',
      'diagnosed',
    ]);
  });
});
