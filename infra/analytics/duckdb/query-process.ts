// The adapter's side of the child: started when first needed, killed when it does not answer, started again.
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Row } from '../../../activities/ports/analytics.ts';
import { AnalyticsError } from '../../../activities/ports/analytics-error.ts';
import type { ChildReply, ChildRequest } from './protocol.ts';

const CHILD = fileURLToPath(new URL('child.ts', import.meta.url));
/** How long after its own deadline a child may be silent: loading tables comes before the deadline. */
const GRACE_MS = 60_000;

export class QueryProcess {
  #child: ChildProcess | null = null;
  #turn: Promise<unknown> = Promise.resolve();
  #lastId = 0;

  /** Queries take turns: memory limits hold for one query, not for their sum. */
  run(request: Omit<ChildRequest, 'id'>): Promise<Row[]> {
    const result = this.#turn.then(() => this.#ask({ ...request, id: ++this.#lastId }));
    this.#turn = result.catch(() => undefined);
    return result;
  }

  async close(): Promise<void> {
    await this.#turn;
    const child = this.#child;
    this.#child = null;
    if (child === null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    // Else nothing keeps the caller's process awake until the child has ended.
    child.ref();
    child.kill('SIGKILL');
    await ended;
  }

  #start(): ChildProcess {
    // Only what a process needs to run: nothing of ours, secrets least of all, is in its environment.
    const env = { PATH: process.env['PATH'], HOME: '/nonexistent', NODE_NO_WARNINGS: '1' };
    const child = fork(CHILD, [], { execArgv: [], env, serialization: 'advanced' });
    child.unref();
    child.channel?.unref();
    child.on('exit', () => {
      if (this.#child === child) this.#child = null;
    });
    return child;
  }

  #ask(request: ChildRequest): Promise<Row[]> {
    this.#child ??= this.#start();
    const child = this.#child;
    child.channel?.ref();
    return new Promise<Row[]>((resolve, reject) => {
      const settle = (finish: () => void): void => {
        clearTimeout(timer);
        child.off('message', onMessage);
        child.off('exit', onExit);
        child.off('error', onExit);
        child.channel?.unref();
        finish();
      };
      const onMessage = (reply: ChildReply): void => {
        if (reply.id !== request.id) return;
        settle(() => {
          if (reply.status === 'ok') resolve(reply.rows);
          else reject(new AnalyticsError(reply.failure, reply.message));
        });
      };
      const onExit = (): void => {
        if (this.#child === child) this.#child = null;
        const [failure, message] = overdue
          ? (['limit', 'the query process did not answer and was ended'] as const)
          : (['lost', 'the query process was ended from outside'] as const);
        settle(() => reject(new AnalyticsError(failure, message)));
      };
      let overdue = false;
      const timer = setTimeout(() => {
        overdue = true;
        child.kill('SIGKILL');
      }, request.limits.timeoutMs + GRACE_MS);
      child.on('message', onMessage);
      child.on('exit', onExit);
      child.on('error', onExit);
      child.send(request, (error) => {
        if (error !== null) onExit();
      });
    });
  }
}
