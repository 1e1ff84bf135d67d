// What a failed attempt says about itself: the step and the reason, dug out of Temporal's nested failures.
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  ChildWorkflowFailure,
  isCancellation,
  TerminatedFailure,
} from '@temporalio/workflow';

export interface FailureReport {
  readonly step: string;
  readonly reason: string;
  /** Tests of the gate that the attempt had reserved, where it says so. */
  readonly testsSpent: number;
}

export function describeFailure(error: unknown): FailureReport {
  if (error instanceof ChildWorkflowFailure) return describeFailure(error.cause);
  if (error instanceof ActivityFailure) {
    return { ...NOWHERE, step: error.activityId ?? error.activityType, reason: reasonOf(error) };
  }
  if (error instanceof ApplicationFailure) {
    const { step, testsSpent } = { ...NOWHERE, ...Object(error.details?.[0]) };
    return { step: String(step), reason: error.message, testsSpent: Number(testsSpent) };
  }
  if (error instanceof CancelledFailure) return { ...NOWHERE, reason: 'somebody cancelled it' };
  if (error instanceof TerminatedFailure) return { ...NOWHERE, reason: 'somebody terminated it' };
  return { ...NOWHERE, reason: String(error) };
}

const NOWHERE = { step: 'generation', reason: '', testsSpent: 0 } as const;

/** Whether an error is this workflow's own cancellation, and not that of a child or a scope of it alone. */
export const isOwnCancellation = (error: unknown): boolean =>
  isCancellation(error) && CancellationScope.current().consideredCancelled;

/** The outermost words of our own: they name place and cure, what lies below them is the system's. */
function reasonOf({ cause, message }: Error): string {
  if (!(cause instanceof Error)) return message;
  return cause instanceof ApplicationFailure ? cause.message : reasonOf(cause);
}

/** Closes a workflow as failed with a report its parent can read; its own cancellation passes as it is. */
export function asFailure(error: unknown, testsSpent: number): unknown {
  if (isOwnCancellation(error)) return error;
  const { step, reason } = describeFailure(error);
  return ApplicationFailure.create({
    message: reason,
    type: 'StepFailed',
    nonRetryable: true,
    details: [{ step, testsSpent }],
    ...(error instanceof Error ? { cause: error } : {}),
  });
}
