import type { WorkflowHandle } from '@temporalio/client';

/**
 * WorkflowTaskFailedCause of tasks that the server ends itself and sends again: a signal came while the workflow was
 * completing (UNHANDLED_COMMAND), or so many that the server closed the task (FORCE_CLOSE_COMMAND).
 */
const SENT_AGAIN: readonly unknown[] = [1, 17];

/** The failures of a run's workflow tasks by our code; there must be none. */
export async function taskFailures(handle: WorkflowHandle): Promise<string[]> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).flatMap(({ workflowTaskFailedEventAttributes: failed }) =>
    failed && !SENT_AGAIN.includes(failed.cause)
      ? [failed.failure?.message || `cause ${failed.cause}`]
      : [],
  );
}
