// Jobs whose workflows are gone by force: nobody is left who would cancel them.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { claimEndSchema } from '../../core/schemas/claim.ts';
import { storeKeys, workflowIds } from '../../core/ids.ts';
import { heldTraining, warmRoots } from './baseline.ts';
import { until } from './until.ts';
import { CAMPAIGN, World } from './test-machine.ts';

const world = new World();
beforeAll(() => world.must('up'));
afterAll(async () => {
  expect(await world.close()).toEqual([]);
});

it('a campaign that was terminated by force leaves no job running for long', async () => {
  const roots = await warmRoots(world, 'reaper');
  await world.start(roots);
  // It would end by itself before the reaper is sure.
  const { claim: found } = await heldTraining(world, roots);
  // Children first, while no worker can end what a parent's end lets go.
  process.kill(world.pid('worker'), 'SIGSTOP');
  const branches = ['b0', 'b1'].map((branch) => workflowIds.branch(CAMPAIGN, 1, 1, branch));
  const generation = workflowIds.generation(CAMPAIGN, 1, 1);
  for (const id of [...branches, generation, workflowIds.campaign(CAMPAIGN)]) {
    await world.temporal('workflow', 'terminate', '-w', id);
  }
  process.kill(world.pid('worker'), 'SIGCONT');
  expect(world.processes(world.paths.jobs)).not.toEqual([]);
  await world.temporal('schedule', 'trigger', '--schedule-id', workflowIds.reaper);
  const told = storeKeys.claimEnd(found.key, found.claim);
  const end = await until('the end of the claim', () => roots.stores.open.readManifest(told));
  expect(claimEndSchema.parse(end).reason).toBe('user_cancelled');
  await until('no job', () => world.processes(world.paths.jobs).length === 0);
  const query = `WorkflowType = 'reaperWorkflow' AND ExecutionStatus = 'Completed'`;
  const rounds = await until('a round that is over', async () => {
    const listed = await world.temporal('workflow', 'list', '-q', query, '-o', 'json');
    return z
      .array(z.object({ execution: z.object({ workflowId: z.string() }) }))
      .parse(JSON.parse(listed))[0];
  });
  const said = await world.temporal('workflow', 'result', '-w', rounds.execution.workflowId);
  expect(said).toContain(found.key);
  expect(said).toContain('no open workflow of g0001 waits for it');
});
