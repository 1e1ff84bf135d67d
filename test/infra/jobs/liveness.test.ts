import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { storeKeys } from '../../../core/ids.ts';
import { Liveness } from '../../../infra/jobs/liveness.ts';
import { MemoryStore } from '../../../infra/store/memory/memory-store.ts';

const claim = { key: 'ab'.repeat(32), claim: 2, rootsId: '01234567', host: 'one' };
const heartbeat = { stage: 'train', done: 3, total: 9 };

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

test('counts silence from the first question, and a new heartbeat ends it', async () => {
  const store = new MemoryStore('open');
  const liveness = new Liveness({ store, askMs: 10, stallMs: 60_000 });
  const write = (claimed: number, number: number, content: object | null): Promise<unknown> =>
    store.createManifest(storeKeys.claimHeartbeat(claim.key, claimed, number), {
      version: 1,
      heartbeat: content,
    });
  expect(await liveness.lastHeartbeat(claim)).toEqual({
    silentMs: 0,
    hasReported: false,
    heartbeat: null,
  });
  vi.advanceTimersByTime(500);
  await write(1, 7, null);
  expect(await liveness.lastHeartbeat(claim)).toMatchObject({ silentMs: 500, hasReported: false });
  await write(2, 1, heartbeat);
  vi.advanceTimersByTime(100);
  expect(await liveness.lastHeartbeat(claim)).toEqual({
    silentMs: 0,
    hasReported: true,
    heartbeat,
  });
  vi.advanceTimersByTime(300);
  expect(await liveness.lastHeartbeat(claim)).toMatchObject({
    silentMs: 300,
    hasReported: true,
    heartbeat,
  });
  liveness.forget(claim);
  expect(await liveness.lastHeartbeat(claim)).toMatchObject({ silentMs: 0, hasReported: true });
});
