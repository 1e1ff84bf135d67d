// Machines that are reclaimed: with a notice, with SIGTERM only, and without notice.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { storeKeys } from '../../core/ids.ts';
import { waitUntil } from '../../infra/jobs/wait-until.ts';
import { SpotNotice } from '../../infra/jobs/wrapper/spot-notice.ts';
import { batchCase } from './executor-batch-case.ts';
import type { BatchCase } from './executor-batch-case.ts';
import { ExecutorBench } from './executor-bench.ts';
import { execCase } from './executor-exec-case.ts';
import { fakeJob } from './fake-jobs.ts';
import { MetadataService } from './metadata-service.ts';

vi.setConfig({ testTimeout: 600_000 });
const NOTICE = { action: 'terminate', time: '2026-11-22T01:30:00Z' } as const;
const ASK_MS = 10;

describe('a wrapper on a Spot machine', () => {
  let metadata: MetadataService;
  let batch: BatchCase;
  const bench = new ExecutorBench(async () => {
    metadata = await MetadataService.start();
    batch = await batchCase();
    batch.service.variables = metadata.variables;
    return batch;
  });
  afterAll(() => metadata.close());

  test('writes a checkpoint at the notice, and the next claim continues from it with the same bytes', async () => {
    const { path, open } = bench.gate();
    const request = fakeJob('spot', { steps: 6, hold: path, hold_at: 3 });
    await bench.executor.submit(request);
    await bench.atStep(request.key, 3);
    metadata.notice = NOTICE;
    const lost = await bench.over(request.key);
    metadata.notice = null;
    expect(lost).toMatchObject({ state: 'lost', claim: 1, paused: false });
    expect(lost).toMatchObject({ why: expect.stringContaining('spot notice: EC2 will terminate') });
    const checkpoint = storeKeys.claimCheckpoint(request.key, 1, 3);
    expect(await bench.made.stores.open.readManifest(checkpoint)).toMatchObject({ step: 3 });
    await open();
    const manifest = await bench.finish(request);
    expect(await bench.executor.logs(request.key, 10)).toContain('resumes at 3');
    const { policy, report } = (await bench.undisturbed()).outputs;
    expect(manifest.outputs).toMatchObject({ policy, report });
  });

  test('that is reclaimed without notice loses the optimizer steps since its last checkpoint', async () => {
    const { path, open } = bench.gate();
    const request = fakeJob('reclaimed', { steps: 6, hold: path, hold_at: 3 });
    await bench.executor.submit(request);
    await bench.atStep(request.key, 3);
    await bench.checkpointed(request.key, 1, 2);
    const running = batch.service.jobs.findLast(({ status }) => status === 'RUNNING');
    if (!running) throw new Error('no job runs');
    batch.service.reclaim(running);
    const lost = await bench.over(request.key);
    expect(lost).toMatchObject({ state: 'lost', why: expect.stringContaining('Host EC2') });
    await open();
    const { outputs } = await bench.finish(request);
    expect(await bench.executor.logs(request.key, 10)).toContain('resumes at 2');
    expect(outputs).toEqual((await bench.undisturbed()).outputs);
  });
});

describe('a wrapper on a Spot machine that a program of the user runs', () => {
  let metadata: MetadataService;
  const bench = new ExecutorBench(async () => {
    metadata = await MetadataService.start();
    return execCase({ variables: metadata.variables, spotNotice: 'ec2' });
  });
  afterAll(() => metadata.close());

  test('also reacts to the notice', async () => {
    const { path } = bench.gate();
    const request = fakeJob('spot', { steps: 6, hold: path, hold_at: 3 });
    await bench.executor.submit(request);
    await bench.atStep(request.key, 3);
    metadata.notice = NOTICE;
    const why = expect.stringContaining('spot notice');
    expect(await bench.over(request.key)).toMatchObject({ state: 'lost', why });
    await bench.checkpointed(request.key, 1, 3);
  });
});

describe('the notice of a Spot machine', () => {
  let metadata: MetadataService;
  beforeAll(async () => {
    metadata = await MetadataService.start();
  });
  afterAll(() => metadata.close());

  test('is found after a token has expired, and ends the polling', async () => {
    const ending = new AbortController();
    const notice = new SpotNotice(metadata.variables, ending, ASK_MS);
    await waitUntil(() => metadata.asked.length > 3, 10_000);
    expect(ending.signal.aborted).toBe(false);
    metadata.expireTokens();
    metadata.notice = NOTICE;
    await waitUntil(() => ending.signal.aborted, 10_000);
    await notice.stop();
    expect(ending.signal.reason).toContain('at 2026-11-22T01:30:00Z');
    const paths = new Set(metadata.asked.map((one) => one.split(' ')[1]));
    // A recommendation to rebalance is not the end, so it is not requested.
    expect([...paths]).toEqual(['/latest/api/token', '/latest/meta-data/spot/instance-action']);
  });

  test('is not waited for if nothing answers, or if the user switched it off', async () => {
    const ending = new AbortController();
    const nowhere = { AWS_EC2_METADATA_SERVICE_ENDPOINT: 'http://127.0.0.1:1' };
    const asking = vi.spyOn(globalThis, 'fetch');
    const silent = new SpotNotice(nowhere, ending, ASK_MS);
    await silent.over;
    const off = { ...metadata.variables, AWS_EC2_METADATA_DISABLED: 'true' };
    await new SpotNotice(off, ending, ASK_MS).stop();
    expect(asking.mock.calls.length).toBe(3);
    asking.mockRestore();
    expect(ending.signal.aborted).toBe(false);
  });
});
