// A quick activity says that its worker lives: if the worker dies, the next one has the activity in seconds, not after
// the minutes that the activity itself may take.
import { Context } from '@temporalio/activity';

type Verb<Input, Output> = (input: Input) => Promise<Output>;

const BEATS_PER_TIMEOUT = 4;

export function withHeartbeat<Input, Output>(verb: Verb<Input, Output>): Verb<Input, Output> {
  return async (input) => {
    const context = Context.current();
    const { heartbeatTimeoutMs } = context.info;
    if (heartbeatTimeoutMs === undefined) return verb(input);
    const beat = setInterval(() => {
      context.heartbeat();
    }, heartbeatTimeoutMs / BEATS_PER_TIMEOUT);
    try {
      return await verb(input);
    } finally {
      clearInterval(beat);
    }
  };
}
