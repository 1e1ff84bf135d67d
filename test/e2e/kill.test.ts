// Kills one process after another in the middle of a campaign: whatever dies, the campaign decides what it would have
// decided, from the same bytes.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Claim } from '../../core/schemas/claim.ts';
import { stopSupervised } from '../../workers/supervise/stop.ts';
import { expectBaseline, heldTraining, firstTraining, warmRoots } from './baseline.ts';
import type { Roots } from './roots.ts';
import { until } from './until.ts';
import { TestMachine } from './test-machine.ts';

const machine = new TestMachine();
beforeAll(() => machine.must('up', '--s3'));
afterAll(async () => {
  expect(await machine.close()).toEqual([]);
});

const isDone = async (roots: Roots, { key }: Claim): Promise<boolean> =>
  (await roots.steps()).some((step) => step.key === key);

/** How many claims each training job took, most first. */
async function claimsPerJob(roots: Roots): Promise<number[]> {
  const perKey = Map.groupBy(await roots.claims('train'), ({ key }) => key);
  return [...perKey.values()].map((claims) => claims.length).toSorted((a, b) => b - a);
}

/** Claim 2 went on from a checkpoint of claim 1: it never saw the steps before. */
async function expectResumed(roots: Roots, first: Claim): Promise<void> {
  expect(await claimsPerJob(roots)).toEqual([2, 1]);
  const second = { ...first, claim: 2 };
  const from = await machine.resumedFrom(roots, second);
  expect(from).toMatchObject({ claim: 1 });
  const { path } = machine.folder(roots, second);
  const timing = readFileSync(join(path, 'timing.jsonl'), 'utf8').trim().split('\n');
  expect(JSON.parse(timing[0] ?? '')).toMatchObject({
    stage: 'train',
    step: (from?.step ?? 0) + 1,
  });
}

describe('a campaign survives a SIGKILL of', () => {
  it('the worker: the next one attaches to the running job again', async () => {
    const roots = await warmRoots(machine, 'worker');
    await machine.play(roots, async () => {
      const { claim, goOn } = await heldTraining(machine, roots);
      const killed = machine.kill('worker');
      await machine.revived('worker', killed);
      await until('the new worker to watch the job', async () => {
        const jobs = await machine.jobs();
        return jobs.some(({ attempt, state }) => attempt > 1 && state === 'running');
      });
      expect(await isDone(roots, claim)).toBe(false);
      goOn();
    });
    expect(await claimsPerJob(roots)).toEqual([1, 1]);
    await expectBaseline(roots);
  });

  it('the trainer: the next claim goes on from its checkpoint', async () => {
    const roots = await warmRoots(machine, 'trainer');
    let claim: Claim | null = null;
    await machine.play(roots, async () => {
      claim = await firstTraining(roots);
      process.kill(await machine.processOf(machine.folder(roots, claim), 'trainer'), 'SIGKILL');
    });
    if (claim) await expectResumed(roots, claim);
    await expectBaseline(roots);
  });

  it('the wrapper: its trainer dies with it, and the next claim goes on', async () => {
    const roots = await warmRoots(machine, 'wrapper');
    let claim: Claim | null = null;
    await machine.play(roots, async () => {
      claim = await firstTraining(roots);
      const folder = machine.folder(roots, claim);
      const trainer = await machine.processOf(folder, 'trainer');
      process.kill(await machine.processOf(folder, 'wrapper'), 'SIGKILL');
      await until(
        'the trainer to end',
        () => !machine.processes().some(({ pid }) => pid === trainer),
      );
    });
    if (claim) await expectResumed(roots, claim);
    await expectBaseline(roots);
  });

  it('the Temporal server: it comes back with everything it knew', async () => {
    const roots = await warmRoots(machine, 'temporal');
    await machine.play(roots, async () => {
      await firstTraining(roots);
      await machine.revived('temporal', machine.kill('temporal'));
    });
    expect(await claimsPerJob(roots)).toEqual([1, 1]);
    await expectBaseline(roots);
  });

  it('the S3 server during an upload: what was half stored is stored again', async () => {
    const roots = await warmRoots(machine, 's3', 's3');
    await machine.play(roots, async () => {
      const claim = await until('a training job', async () => (await roots.claims('train'))[0]);
      const folder = machine.folder(roots, claim);
      await until('its first checkpoint', () => hasCheckpoint(folder.path), { everyMs: 5 });
      const server = machine.pid('s3');
      // It takes the connection of the upload and says nothing more.
      process.kill(server, 'SIGSTOP');
      const steps = heartbeatStep(folder.path);
      await until('the trainer to go on', () => heartbeatStep(folder.path) > steps + 3);
      process.kill(server, 'SIGKILL');
      await machine.revived('s3', server);
    });
    expect(await claimsPerJob(roots)).toEqual([1, 1]);
    await expectBaseline(roots);
  });

  it('the supervisor and then the worker: each brings the other back', async () => {
    const roots = await warmRoots(machine, 'supervisor');
    await machine.play(roots, async () => {
      await firstTraining(roots);
      const { temporal } = machine.supervisor.children;
      await machine.revived('supervisor', machine.kill('supervisor'));
      await machine.revived('worker', machine.kill('worker'));
      expect(machine.supervisor.children.temporal?.pid).toBe(temporal?.pid);
    });
    await expectBaseline(roots);
  });

  it('supervisor and worker at once: the next command brings both back', async () => {
    const roots = await warmRoots(machine, 'both');
    const before = machine.supervisor;
    await machine.play(roots, async () => {
      await firstTraining(roots);
      const [supervisor, worker] = [machine.kill('supervisor'), machine.kill('worker')];
      await machine.evo('status');
      await machine.revived('supervisor', supervisor);
      await machine.revived('worker', worker);
      expect(machine.supervisor.ports).toEqual(before.ports);
    });
    await expectBaseline(roots);
  });
});

describe('a machine', () => {
  it('that is brought down and up again goes on from the checkpoints of its jobs', async () => {
    const roots = await warmRoots(machine, 'down');
    await machine.start(roots);
    // The worker goes first and takes longer to end than the job may have left.
    const { claim, goOn } = await heldTraining(machine, roots);
    const worker = machine.pid('worker');
    // What `evo down` does, without the second that a command takes to start.
    const stopped = stopSupervised(machine.paths);
    await until('the worker to end', () => !machine.processes().some(({ pid }) => pid === worker));
    goOn();
    expect(await stopped).toBe(true);
    expect(machine.processes()).toEqual([]);
    await machine.must('up');
    await machine.phase('finished');
    expect(await machine.resumedFrom(roots, { ...claim, claim: 2 })).toMatchObject({ claim: 1 });
    await expectBaseline(roots);
  });
});

function hasCheckpoint(folder: string): boolean {
  return readIfThere(join(folder, 'checkpoints', 'latest.json')) !== null;
}

function heartbeatStep(folder: string): number {
  const text = readIfThere(join(folder, 'heartbeat.json'));
  const { stage, step } = text === null ? { stage: 'train', step: 0 } : JSON.parse(text);
  return stage === 'train' ? step : Infinity;
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
