// The schedule of the reaper. Every worker makes sure that it exists and uses the task queue of this version.
import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import { TASK_QUEUE, workflowIds } from '../core/ids.ts';

export async function keepReaper(client: Client, everyMs: number): Promise<void> {
  const schedule = {
    spec: { intervals: [{ every: everyMs }] },
    action: {
      type: 'startWorkflow' as const,
      workflowType: 'reaperWorkflow',
      workflowId: workflowIds.reaper,
      taskQueue: TASK_QUEUE,
      staticSummary: 'ends jobs that nobody waits for',
    },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: everyMs },
  };
  try {
    await client.schedule.create({ scheduleId: workflowIds.reaper, ...schedule });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    // Keeps the state, because a person may have paused it.
    await client.schedule
      .getHandle(workflowIds.reaper)
      .update(({ state }) => ({ ...schedule, state }));
  }
}
