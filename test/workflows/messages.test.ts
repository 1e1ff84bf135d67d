// Messages that are malformed, too early or repeated, and their answers.
import type { Payload } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { taskFailures } from '../attack/task-failures.ts';
import { WorkflowBench } from './workflow-bench.ts';

let bench: WorkflowBench;
beforeAll(async () => {
  bench = await WorkflowBench.open(inject('temporalAddress'), inject('bundlePath'));
});
afterAll(async () => bench.close());

const encoded = (encoding: string, text: string): Payload => ({
  metadata: { encoding: Buffer.from(encoding) },
  data: Buffer.from(text),
});

describe.concurrent('a malformed message', () => {
  const malformed: readonly [string, unknown][] = [
    ['pause', { mode: 'sideways' }],
    ['pause', 7],
    ['pause', 'now'],
    ['pause', [1, 2]],
    ['resume', { surprise: true }],
    ['inject', {}],
    [
      'inject',
      {
        intervention: {
          operator: 'a',
          patch: [{ op: 'remove', path: '/filter' }],
          hypothesis: 'both',
        },
      },
    ],
    ['retry', { from: 'lunch' }],
    ['skip', {}],
    ['abort', { reason: '' }],
    ['stop', { id: 7 }],
  ];

  it('as a signal is recorded as refused, with the reason, and fails nothing', async () => {
    const campaign = await bench.held('rollout');
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

  it.each<[string, readonly Payload[], RegExp]>([
    ['is no JSON', [encoded('json/plain', '{"mode": drain')], /cannot be decoded as json\/plain/],
    ['nobody can decode', [encoded('binary/lz4', '??')], /cannot be decoded as binary\/lz4/],
    ['says not how it is encoded', [{ data: Buffer.from('{}') }], /cannot be decoded at all/],
    ['is empty', [{}], /cannot be decoded at all/],
    ['is a heap of bytes', [encoded('binary/plain', 'x'.repeat(1e5))], /not an object/],
  ])('whose payload %s is recorded as refused, and fails nothing', async (_, payloads, reason) => {
    const campaign = await bench.held('rollout');
    await campaign.signalRaw('pause', payloads);
    for (const name of ['progress', 'instructions']) {
      await campaign.signalRaw(name, payloads);
      await campaign.signalRaw(name, payloads, campaign.generation(1));
    }
    const { messages } = await campaign.untilStatus(
      'the answer',
      (view) => view.messages.length > 0,
    );
    expect(messages).toMatchObject([
      { message: 'pause', accepted: false, reason: expect.stringMatching(reason) },
    ]);
    campaign.executor.release('rollout');
    expect(await campaign.result()).toMatchObject({ how: 'finished' });
    expect(await campaign.kinds()).toContain('message-received');
    const handles = [campaign.handle, campaign.generation(1)];
    expect((await Promise.all(handles.map(taskFailures))).flat()).toEqual([]);
  });

  it('that carries more than one payload is judged by its first', async () => {
    const campaign = await bench.held('rollout');
    const garbage = encoded('json/plain', '{');
    await campaign.signalRaw('pause', [encoded('json/plain', '{"id": "m1"}'), garbage]);
    await campaign.untilStatus('a pause', ({ phase }) => phase === 'paused');
    expect(await taskFailures(campaign.handle)).toEqual([]);
    await campaign.abort();
  });

  it('as an internal signal is ignored', async () => {
    const campaign = await bench.held('rollout');
    for (const name of ['progress', 'instructions', 'unheard-of']) {
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

  it('as an update is rejected by its validator, with the field and the expected value', async () => {
    const campaign = await bench.held('rollout');
    await expect(campaign.update('pause', { mode: 'sideways' })).rejects.toMatchObject({
      cause: {
        type: 'MalformedMessage',
        message: expect.stringMatching(/pause: mode: .*Expected \{/),
      },
    });
    expect((await campaign.status()).messages).toEqual([]);
    await campaign.abort();
  });

  it('does not take the id from the corrected one', async () => {
    const campaign = await bench.held('rollout');
    await campaign.signal('pause', { id: 'm1', mode: 'drian' });
    await campaign.signal('pause', { id: 'm1', mode: 'drain' });
    const { messages } = await campaign.untilStatus('a pause', ({ phase }) => phase === 'paused');
    expect(messages.map(({ id, accepted }) => [id, accepted])).toEqual([
      ['m1', false],
      ['m1', true],
    ]);
    await campaign.abort();
  });
});

describe.concurrent('a well-formed message', () => {
  it('that does not apply is refused with the reason', async () => {
    const campaign = await bench.held('rollout');
    expect(await campaign.update('resume')).toEqual({
      accepted: false,
      reason: 'the campaign is not paused',
    });
    expect(await campaign.update('skip', { reason: 'later' })).toMatchObject({ accepted: false });
    await campaign.abort();
  });

  it('without a payload is accepted: pause needs none', async () => {
    const campaign = await bench.held('rollout');
    await campaign.signal('pause');
    await campaign.untilStatus('a pause', ({ pause }) => pause?.mode === 'drain');
    await campaign.abort();
  });

  it('waits until the campaign has read the ledger', async () => {
    const campaign = await bench.campaign();
    let open = () => undefined as void;
    const opened = new Promise<void>((resolve) => (open = resolve));
    campaign.fake.hook = async (activity) => (activity === 'openCampaign' ? opened : undefined);
    await campaign.start();
    await campaign.signal('pause', { id: 'early' });
    expect((await campaign.status()).messages).toEqual([]);
    open();
    await campaign.untilStatus('the pause', ({ phase }) => phase === 'paused');
    await campaign.abort();
  });

  it('is written by the current generation at the end of its step, or by the campaign between generations', async () => {
    const campaign = await bench.held('rollout');
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
