// Activity options, one set an effort class; activities are named after the steps that the UI shows.
import {
  ActivityCancellationType,
  proxyActivities,
  type ActivityOptions,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';

/**
 * Reads and writes of the store, queries, decisions. Each is idempotent by its step key or by the ledger's create-only
 * entries, so that retrying is free; an hour outlasts a store's outage, and what no retry cures is thrown non-retryable.
 */
const quick: ActivityOptions = {
  startToCloseTimeout: '10 minutes',
  scheduleToCloseTimeout: '1 hour',
  // A dead worker is noticed by it; a busy one beats four times as often.
  heartbeatTimeout: '20 seconds',
  retry: {
    initialInterval: '500 milliseconds',
    backoffCoefficient: 2,
    maximumInterval: '30 seconds',
  },
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
};

/**
 * Waits for a job of hours or days. Any worker re-attaches by the step key, so attempts are not counted; the executor
 * decides about lost jobs, and the heartbeat timeout is set by the config.
 */
const awaiting: ActivityOptions = {
  startToCloseTimeout: '60 days',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
};

/** One quick activity under the id and the summary that people read in the UI. */
export function quickly(activityId: string, summary?: string): QuickActivities {
  return proxyActivities<Activities>({
    ...quick,
    activityId,
    ...(summary === undefined ? {} : { summary }),
  });
}
type QuickActivities = ReturnType<typeof proxyActivities<Activities>>;

/** The await of a job: the same function under the step's own name. */
export function awaitingJob(
  activityId: string,
  summary: string,
  heartbeatTimeoutS: number,
): QuickActivities {
  return proxyActivities<Activities>({
    ...awaiting,
    activityId,
    summary,
    heartbeatTimeout: heartbeatTimeoutS * 1000,
  });
}
