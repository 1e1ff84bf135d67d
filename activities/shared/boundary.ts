// Every activity passes through here: what escapes it becomes one failure that says whether trying again can help.
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { AnalyticsError } from '../ports/analytics-error.ts';
import { ExecutorError } from '../ports/executor-error.ts';
import { isStoreError, StoreError } from '../ports/store-error.ts';

type Verb<Input, Output> = (input: Input) => Promise<Output>;

/** Wraps one activity. Outages pass and are retried; damage, refusals and programming errors are not. */
export function withBoundary<Input, Output>(verb: Verb<Input, Output>): Verb<Input, Output> {
  return async (input) => {
    try {
      return await verb(input);
    } catch (error) {
      throw asFailure(error);
    }
  };
}

function asFailure(error: unknown): unknown {
  if (error instanceof ApplicationFailure || error instanceof CancelledFailure) return error;
  const cause = error instanceof Error ? error : new Error(String(error));
  return ApplicationFailure.create({
    message: cause.message,
    type: `${cause.name}${kindOf(error)}`,
    nonRetryable: !isPassing(error),
    cause,
  });
}

/** What goes by itself: a store or a host that does not answer for a while, a query process that was killed. */
const isPassing = (error: unknown): boolean =>
  isStoreError(error, 'unreachable') ||
  (error instanceof ExecutorError && error.kind === 'unreachable') ||
  (error instanceof AnalyticsError && error.kind === 'lost');

function kindOf(error: unknown): string {
  if (error instanceof StoreError || error instanceof ExecutorError) return `.${error.kind}`;
  return error instanceof AnalyticsError ? `.${error.kind}` : '';
}
