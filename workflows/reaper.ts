import { proxyActivities } from '@temporalio/workflow';
import type { Activities, Reaped } from '../activities/index.ts';

const { reap } = proxyActivities<Activities>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '20 seconds',
  // The next round follows soon.
  retry: { maximumAttempts: 3 },
});

/** One round that ends jobs without a waiting workflow. The workers keep its schedule. */
export async function reaperWorkflow(): Promise<Reaped> {
  return reap({});
}
