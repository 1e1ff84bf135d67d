// What a failed attempt says about itself: the step and the reason, dug out of Temporal's nested failures.
import { ActivityFailure, ApplicationFailure, ChildWorkflowFailure } from '@temporalio/workflow';

export interface FailureReport {
  readonly step: string;
  readonly reason: string;
}

export function describeFailure(error: unknown): FailureReport {
  if (error instanceof ChildWorkflowFailure) return describeFailure(error.cause);
  if (error instanceof ActivityFailure) {
    return { step: error.activityId ?? error.activityType, reason: innermost(error) };
  }
  if (error instanceof ApplicationFailure) {
    const details: unknown = error.details?.[0];
    const step =
      typeof details === 'object' && details !== null && 'step' in details ? details.step : null;
    return { step: typeof step === 'string' ? step : 'generation', reason: error.message };
  }
  return { step: 'generation', reason: String(error) };
}

function innermost(error: Error): string {
  return error.cause instanceof Error ? innermost(error.cause) : error.message;
}

/** Closes a workflow as failed with a report its parent can read; cancellations pass as they are. */
export function asFailure(error: unknown): ApplicationFailure {
  const { step, reason } = describeFailure(error);
  return ApplicationFailure.create({
    message: reason,
    type: 'StepFailed',
    nonRetryable: true,
    details: [{ step }],
    ...(error instanceof Error ? { cause: error } : {}),
  });
}
