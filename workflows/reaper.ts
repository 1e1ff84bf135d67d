import type { Reaped } from '../activities/index.ts';
import { checked } from './activity.ts';
import { dropUnknownSignals } from './wake-ups.ts';

const { reap } = checked({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '20 seconds',
  // The next round follows soon.
  retry: { maximumAttempts: 3 },
});

/** One round that ends jobs without a waiting workflow. The workers keep its schedule. */
export async function reaperWorkflow(): Promise<Reaped> {
  dropUnknownSignals();
  return reap({});
}
