// The one stream of logs of a process, as JSON lines. Inside workflows and activities use their own `log`.
import { DefaultLogger } from '@temporalio/worker';
import { pino, type Logger } from 'pino';

export const createLogger = (level: string): Logger => pino({ level, base: null });

const LEVELS = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
} as const;

/** Temporal's logger over ours, ids of workflows and activities as fields. */
export const temporalLogger = (logger: Logger): DefaultLogger =>
  new DefaultLogger('INFO', ({ level, message, meta }) => {
    const { taskToken: _, ...fields } = meta ?? {};
    logger[LEVELS[level]](fields, message);
  });
