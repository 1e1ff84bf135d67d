import { proxyActivities } from '@temporalio/workflow';
import type { Activities, Reaped } from '../activities/index.ts';

const { reap } = proxyActivities<Activities>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '20 seconds',
  // The next round comes soon.
  retry: { maximumAttempts: 3 },
});

/** One round of ending the jobs that nobody waits for; its schedule is kept by the workers. */
export async function reaperWorkflow(): Promise<Reaped> {
  return reap({});
}
