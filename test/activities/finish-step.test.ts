import { beforeEach, expect, test } from 'vitest';
import { finishStep, stepKey, type StepRequest } from '../../activities/shared/finish-step.ts';
import { storeJson } from '../../activities/shared/store-json.ts';
import type { ArtifactRef } from '../../core/schemas/artifact.ts';
import { MemoryStore } from '../../infra/store/memory/memory-store.ts';

let store: MemoryStore;
let calls = 0;
beforeEach(() => {
  store = new MemoryStore('open');
  calls = 0;
});

const ref: ArtifactRef = { root: 'open', sha256: 'b'.repeat(64), sizeBytes: 1 };
const request: StepRequest = {
  step: 'diagnose',
  spec: { generation: 1 },
  inputs: { harness: ref },
  trainerDigest: 'a'.repeat(64),
  redo: 0,
};
const compute = async () => {
  calls += 1;
  return { outputs: { report: await storeJson(store, { calls }) }, summary: { calls } };
};

test('a finished step is answered without computing again', async () => {
  const first = await finishStep(store, request, compute);
  expect(await finishStep(store, request, compute)).toEqual(first);
  expect(calls).toBe(1);
});

test('of two racing writers the first wins and both see its manifest', async () => {
  const [left, right] = await Promise.all([
    finishStep(store, request, compute),
    finishStep(store, request, compute),
  ]);
  expect(left).toEqual(right);
});

test('a step that fails leaves no manifest and may be tried again', async () => {
  const failing = async () => Promise.reject(new Error('no'));
  await expect(finishStep(store, request, failing)).rejects.toThrow('no');
  expect((await finishStep(store, request, compute)).summary).toEqual({ calls: 1 });
});

test.each([
  ['step', { step: 'revise' }],
  ['spec', { spec: { generation: 2 } }],
  ['an input', { inputs: { harness: { ...ref, sha256: 'c'.repeat(64) } } }],
  ["an input's name", { inputs: { health: ref } }],
  ['trainer', { trainerDigest: 'd'.repeat(64) }],
  ['redo', { redo: 1 }],
])('another %s is another key', (_, change) => {
  expect(stepKey({ ...request, ...change })).not.toBe(stepKey(request));
});
