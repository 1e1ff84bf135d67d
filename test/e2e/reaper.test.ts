// Jobs whose workflows are gone by force: nobody is left who would cancel them.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { claimEndSchema } from '../../core/schemas/claim.ts';
import { storeKeys, workflowIds } from '../../core/ids.ts';
import { training, warmRoots } from './baseline.ts';
import { until } from './until.ts';
import { CAMPAIGN, World } from './world.ts';

const world = new World();
beforeAll(() => world.must('up'));
afterAll(async () => {
  expect(await world.close()).toEqual([]);
});

it('a campaign that was terminated by force leaves no job running for long', async () => {
  const roots = await warmRoots(world, 'reaper');
  await world.start(roots);
  const found = await training(roots);
  // It would end by itself before the reaper is sure.
  process.kill(await world.processOf(world.folder(roots, found), 'trainer'), 'SIGSTOP');
  await world.temporal('workflow', 'terminate', '-w', workflowIds.campaign(CAMPAIGN));
  expect(world.processes(world.paths.jobs)).not.toEqual([]);
  await world.temporal('schedule', 'trigger', '--schedule-id', workflowIds.reaper);
  await until('no job', () => world.processes(world.paths.jobs).length === 0);
  const end = claimEndSchema.parse(
    await roots.stores.open.readManifest(storeKeys.claimEnd(found.key, found.claim)),
  );
  expect(end.reason).toBe('user_cancelled');
  const rounds = await world.temporal('workflow', 'list', '-q', `WorkflowType = 'reaperWorkflow'`);
  expect(rounds).toContain('Completed');
});
