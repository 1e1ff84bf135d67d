import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { storeKeys } from '../../../core/ids.ts';
import { Pulses } from '../../../infra/jobs/liveness.ts';
import { MemoryStore } from '../../../infra/store/memory/memory-store.ts';

const claim = { key: 'ab'.repeat(32), claim: 2, place: '01234567', host: 'one' };
const heartbeat = { stage: 'train', step: 3, steps: 9 };

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

test('silence is counted from the first look, and a new sign of life ends it', async () => {
  const store = new MemoryStore('open');
  const pulses = new Pulses(store, 10, 60_000);
  const beat = (claimed: number, number: number, content: object | null): Promise<unknown> =>
    store.createManifest(storeKeys.beat(claim.key, claimed, number), {
      version: 1,
      heartbeat: content,
    });
  expect(await pulses.feel(claim)).toEqual({ silentMs: 0, isBorn: false, heartbeat: null });
  vi.advanceTimersByTime(500);
  await beat(1, 7, null);
  expect(await pulses.feel(claim)).toMatchObject({ silentMs: 500, isBorn: false });
  await beat(2, 1, heartbeat);
  vi.advanceTimersByTime(100);
  expect(await pulses.feel(claim)).toEqual({ silentMs: 0, isBorn: true, heartbeat });
  vi.advanceTimersByTime(300);
  expect(await pulses.feel(claim)).toMatchObject({ silentMs: 300, isBorn: true, heartbeat });
  pulses.forget(claim);
  expect(await pulses.feel(claim)).toMatchObject({ silentMs: 0, isBorn: true });
});
