// Kills one process after another in the middle of a campaign: whatever dies, the campaign decides what it would have
// decided, from the same bytes.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Claim } from '../../core/schemas/claim.ts';
import { stopSupervised } from '../../workers/supervise/stop.ts';
import { expectBaseline, heldTraining, training, warmRoots } from './baseline.ts';
import type { Roots } from './roots.ts';
import { until } from './until.ts';
import { World } from './test-machine.ts';

const world = new World();
beforeAll(() => world.must('up', '--s3'));
afterAll(async () => {
  expect(await world.close()).toEqual([]);
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
  const from = await world.resumedFrom(roots, second);
  expect(from).toMatchObject({ claim: 1 });
  const { path } = world.folder(roots, second);
  const timing = readFileSync(join(path, 'timing.jsonl'), 'utf8').trim().split('\n');
  expect(JSON.parse(timing[0] ?? '')).toMatchObject({
    stage: 'train',
    step: (from?.step ?? 0) + 1,
  });
}

describe('a campaign survives a SIGKILL of', () => {
  it('the worker: the next one attaches to the running job again', async () => {
    const roots = await warmRoots(world, 'worker');
    await world.play(roots, async () => {
      const { claim, goOn } = await heldTraining(world, roots);
      const killed = world.kill('worker');
      await world.revived('worker', killed);
      await until('the new worker to watch the job', async () => {
        const jobs = await world.jobs();
        return jobs.some(({ attempt, state }) => attempt > 1 && state === 'running');
      });
      expect(await isDone(roots, claim)).toBe(false);
      goOn();
    });
    expect(await claimsPerJob(roots)).toEqual([1, 1]);
    await expectBaseline(roots);
  });

  it('the trainer: the next claim goes on from its checkpoint', async () => {
    const roots = await warmRoots(world, 'trainer');
    let claim: Claim | null = null;
    await world.play(roots, async () => {
      claim = await training(roots);
      process.kill(await world.processOf(world.folder(roots, claim), 'trainer'), 'SIGKILL');
    });
    if (claim) await expectResumed(roots, claim);
    await expectBaseline(roots);
  });

  it('the wrapper: its trainer dies with it, and the next claim goes on', async () => {
    const roots = await warmRoots(world, 'wrapper');
    let claim: Claim | null = null;
    await world.play(roots, async () => {
      claim = await training(roots);
      const folder = world.folder(roots, claim);
      const trainer = await world.processOf(folder, 'trainer');
      process.kill(await world.processOf(folder, 'wrapper'), 'SIGKILL');
      await until(
        'the trainer to end',
        () => !world.processes().some(({ pid }) => pid === trainer),
      );
    });
    if (claim) await expectResumed(roots, claim);
    await expectBaseline(roots);
  });

  it('the Temporal server: it comes back with everything it knew', async () => {
    const roots = await warmRoots(world, 'temporal');
    await world.play(roots, async () => {
      await training(roots);
      await world.revived('temporal', world.kill('temporal'));
    });
    expect(await claimsPerJob(roots)).toEqual([1, 1]);
    await expectBaseline(roots);
  });

  it('the S3 server during an upload: what was half stored is stored again', async () => {
    const roots = await warmRoots(world, 's3', 's3');
    await world.play(roots, async () => {
      const claim = await until('a training job', async () => (await roots.claims('train'))[0]);
      const folder = world.folder(roots, claim);
      await until('its first checkpoint', () => hasCheckpoint(folder.path), { everyMs: 5 });
      const server = world.pid('s3');
      // It takes the connection of the upload and says nothing more.
      process.kill(server, 'SIGSTOP');
      const steps = heartbeatStep(folder.path);
      await until('the trainer to go on', () => heartbeatStep(folder.path) > steps + 3);
      process.kill(server, 'SIGKILL');
      await world.revived('s3', server);
    });
    expect(await claimsPerJob(roots)).toEqual([1, 1]);
    await expectBaseline(roots);
  });

  it('the supervisor and then the worker: each brings the other back', async () => {
    const roots = await warmRoots(world, 'supervisor');
    await world.play(roots, async () => {
      await training(roots);
      const { temporal } = world.supervisor.children;
      await world.revived('supervisor', world.kill('supervisor'));
      await world.revived('worker', world.kill('worker'));
      expect(world.supervisor.children.temporal?.pid).toBe(temporal?.pid);
    });
    await expectBaseline(roots);
  });

  it('supervisor and worker at once: the next command brings both back', async () => {
    const roots = await warmRoots(world, 'both');
    const before = world.supervisor;
    await world.play(roots, async () => {
      await training(roots);
      const [supervisor, worker] = [world.kill('supervisor'), world.kill('worker')];
      await world.evo('status');
      await world.revived('supervisor', supervisor);
      await world.revived('worker', worker);
      expect(world.supervisor.ports).toEqual(before.ports);
    });
    await expectBaseline(roots);
  });
});

describe('a machine', () => {
  it('that is brought down and up again goes on from the checkpoints of its jobs', async () => {
    const roots = await warmRoots(world, 'down');
    await world.start(roots);
    // The worker goes first and takes longer to end than the job may have left.
    const { claim, goOn } = await heldTraining(world, roots);
    const worker = world.pid('worker');
    // What `evo down` does, without the second that a command takes to start.
    const stopped = stopSupervised(world.paths);
    await until('the worker to end', () => !world.processes().some(({ pid }) => pid === worker));
    goOn();
    expect(await stopped).toBe(true);
    expect(world.processes()).toEqual([]);
    await world.must('up');
    await world.phase('finished');
    expect(await world.resumedFrom(roots, { ...claim, claim: 2 })).toMatchObject({ claim: 1 });
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
