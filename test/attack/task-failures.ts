import type { WorkflowHandle } from '@temporalio/client';

/**
 * WorkflowTaskFailedCause of tasks that the server ends itself and sends again: a signal came while the workflow was
 * completing (UNHANDLED_COMMAND), or so many that the server closed the task (FORCE_CLOSE_COMMAND).
 */
const SENT_AGAIN: readonly unknown[] = [1, 17];

const EVENTS_A_PAGE = 100;

/** The failures of a run's workflow tasks by our code; there must be none. */
export async function taskFailures(handle: WorkflowHandle): Promise<string[]> {
  const failures: string[] = [];
  for await (const { workflowTaskFailedEventAttributes: failed } of eventsOf(handle)) {
    if (failed && !SENT_AGAIN.includes(failed.cause))
      failures.push(failed.failure?.message || `cause ${failed.cause}`);
  }
  return failures;
}

/** In pages, because the history of a flooded run is larger than the largest answer that the client takes. */
async function* eventsOf({ client, workflowId }: WorkflowHandle) {
  const { workflowService, options } = client;
  let nextPageToken: Uint8Array = new Uint8Array();
  do {
    const page = await workflowService.getWorkflowExecutionHistory({
      namespace: options.namespace,
      execution: { workflowId },
      maximumPageSize: EVENTS_A_PAGE,
      nextPageToken,
    });
    yield* page.history?.events ?? [];
    nextPageToken = page.nextPageToken;
  } while (nextPageToken.length > 0);
}
