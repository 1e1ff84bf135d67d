// Kills what keeps the servers running, in the middle of a campaign: the rest brings it back, and the campaign decides
// what it would have decided, from the same bytes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectBaseline, firstTraining, warmRoots } from './baseline.ts';
import { TestMachine } from './test-machine.ts';

const machine = new TestMachine();
beforeAll(() => machine.must('up'));
afterAll(async () => {
  expect(await machine.close()).toEqual([]);
});

describe('a campaign survives a SIGKILL of', () => {
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
