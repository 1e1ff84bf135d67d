// The process in which queries run, one after the other. It ends with its parent's channel.
import process from 'node:process';
import { AnalyticsError } from '../../../activities/ports/analytics-error.ts';
import type { ChildReply, ChildRequest } from './protocol.ts';
import { runQuery } from './run-query.ts';

process.on('message', (request: ChildRequest) => {
  void answer(request).then((reply) => process.send?.(reply));
});
process.on('disconnect', () => process.exit(0));
// Ctrl-C reaches the whole terminal group; the parent decides when this process ends.
process.on('SIGINT', () => undefined);

async function answer(request: ChildRequest): Promise<ChildReply> {
  try {
    return { id: request.id, status: 'ok', rows: await runQuery(request) };
  } catch (error) {
    const failure = error instanceof AnalyticsError ? error.failure : 'query';
    const message = error instanceof Error ? error.message : String(error);
    return { id: request.id, status: 'failed', failure, message };
  }
}
