// The adapter's side of the child: started when first needed, killed when it does not answer, started again.
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Row } from '../../../activities/ports/analytics.ts';
import { AnalyticsError } from '../../../activities/ports/analytics-error.ts';
import {
  type ChildReply,
  type ChildRequest,
  type ChildTask,
  MEMORY_EXIT_CODE,
} from './protocol.ts';

const CHILD = fileURLToPath(new URL('child.ts', import.meta.url));
/** How long after its own deadline a child may be silent: parsing and binding tables come before the deadline. */
const GRACE_MS = 10_000;
/** A process that keeps more than this after an answer is ended; the next query starts another. */
const RESIDENT_BYTES_MAX = 2 ** 30;
/** Signals by which a process ends itself. Others came from outside, and say nothing about the query. */
const OWN_SIGNALS = new Set<string | null>([
  'SIGABRT',
  'SIGBUS',
  'SIGFPE',
  'SIGILL',
  'SIGSEGV',
  'SIGTRAP',
]);

/** What of an answer is JavaScript's is bounded too. */
const NODE_FLAGS = ['--max-old-space-size=1024'];

export class QueryProcess {
  #child: ChildProcess | null = null;
  #turn: Promise<unknown> = Promise.resolve();
  #lastId = 0;

  /** Queries take turns: memory limits hold for one query, not for their sum. */
  run(task: ChildTask): Promise<Row[]> {
    const result = this.#turn.then(() => this.#ask({ ...task, id: ++this.#lastId }));
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
    const child = fork(CHILD, [], { execArgv: NODE_FLAGS, env, serialization: 'advanced' });
    child.unref();
    child.channel?.unref();
    child.on('exit', () => {
      if (this.#child === child) this.#child = null;
    });
    return child;
  }

  /** Ends a process that has answered. */
  #leave(child: ChildProcess): void {
    if (this.#child === child) this.#child = null;
    child.kill('SIGKILL');
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
        if (reply.residentBytes > RESIDENT_BYTES_MAX) this.#leave(child);
        settle(() => {
          if (reply.status === 'ok') resolve(reply.rows);
          else reject(new AnalyticsError(reply.failure, reply.message));
        });
      };
      const onExit = (code: unknown = null, signal: string | null = null): void => {
        if (this.#child === child) this.#child = null;
        settle(() => reject(exitError(overdue, code, signal)));
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

function exitError(overdue: boolean, code: unknown, signal: string | null): AnalyticsError {
  if (overdue) return new AnalyticsError('limit', 'the query process did not answer and was ended');
  if (code === MEMORY_EXIT_CODE) {
    return new AnalyticsError(
      'limit',
      'the query took more memory than it may, outside tables too',
    );
  }
  if (OWN_SIGNALS.has(signal) || (typeof code === 'number' && code !== 0)) {
    return new AnalyticsError('limit', `the query broke its process (${signal ?? String(code)})`);
  }
  return new AnalyticsError('lost', 'the query process was ended from outside');
}
