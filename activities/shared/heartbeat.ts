// Sends heartbeats during an activity. If the worker dies, Temporal gives the activity to another worker after seconds
// instead of after the activity's own timeout of minutes.
import { Context } from '@temporalio/activity';

const BEATS_PER_TIMEOUT = 4;

export function withHeartbeat<Input, Output>(
  activity: (input: Input) => Promise<Output>,
): (input: Input) => Promise<Output> {
  return async (input) => {
    const context = Context.current();
    const { heartbeatTimeoutMs } = context.info;
    if (heartbeatTimeoutMs === undefined) return activity(input);
    const beat = setInterval(() => {
      context.heartbeat();
    }, heartbeatTimeoutMs / BEATS_PER_TIMEOUT);
    try {
      return await activity(input);
    } finally {
      clearInterval(beat);
    }
  };
}
