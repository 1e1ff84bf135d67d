// The adapter's side of the child: started when first needed, killed when it does not answer, started again.
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Row } from '../../../activities/ports/analytics.ts';
import { AnalyticsError } from '../../../activities/ports/analytics-error.ts';
import {
  type ChildReply,
  type ChildTask,
  MEMORY_SIGNAL,
  type QueryLimits,
  READY,
} from './protocol.ts';

const CHILD = fileURLToPath(new URL('child.ts', import.meta.url));
const START_MS = 60_000;
/** How long after its own deadline a child may be silent: parsing and binding tables come before the deadline. */
const graceMs = ({ timeoutMs }: QueryLimits): number => 1000 + timeoutMs / 2;
/** A process that keeps more than this after an answer is ended; the next query starts another. */
const RESIDENT_BYTES_MAX = 2 ** 30;
/** A worker has two for each campaign; those of campaigns that train for hours give their memory back. */
const IDLE_MS_MAX = 60_000;
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
  #idle: NodeJS.Timeout | undefined;

  /** Queries take turns: memory limits hold for one query, not for their sum. */
  run(task: ChildTask): Promise<Row[]> {
    const result = this.#turn.then(() => this.#ask(task));
    this.#turn = result.catch(() => undefined);
    return result;
  }

  async close(): Promise<void> {
    await this.#turn;
    clearTimeout(this.#idle);
    const child = this.#child;
    this.#child = null;
    if (child === null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    // Else nothing keeps the caller's process awake until the child has ended.
    child.ref();
    child.kill('SIGKILL');
    await ended;
  }

  async #ask(task: ChildTask): Promise<Row[]> {
    clearTimeout(this.#idle);
    try {
      return await this.#askNow(task);
    } finally {
      const child = this.#child;
      if (child) this.#idle = setTimeout(() => this.#leave(child), IDLE_MS_MAX).unref();
    }
  }

  async #askNow(task: ChildTask): Promise<Row[]> {
    const child = this.#child ?? (await this.#start());
    // What goes wrong in sending ends the process, and is heard of as its end.
    child.send(task, (error) => error !== null && child.kill('SIGKILL'));
    const reply = await hear(child, task.limits.timeoutMs + graceMs(task.limits));
    if (reply === READY) throw new AnalyticsError('lost', 'the query process began anew');
    if (reply.residentBytes > RESIDENT_BYTES_MAX) this.#leave(child);
    if (reply.status === 'ok') return reply.rows;
    throw new AnalyticsError(reply.failure, reply.message);
  }

  async #start(): Promise<ChildProcess> {
    // Nothing of this process's environment, in which there may be secrets.
    const env = { HOME: '/nonexistent', NODE_NO_WARNINGS: '1' };
    const child = fork(CHILD, [], { execArgv: NODE_FLAGS, env, serialization: 'advanced' });
    this.#child = child;
    child.on('exit', () => {
      if (this.#child === child) this.#child = null;
    });
    try {
      await hear(child, START_MS);
    } catch (cause) {
      throw new AnalyticsError('lost', 'the query process did not start', { cause });
    }
    return child;
  }

  /** Ends a process that has answered, and is asked nothing. */
  #leave(child: ChildProcess): void {
    if (this.#child === child) this.#child = null;
    child.kill('SIGKILL');
  }
}

/** The next word of a child. One that ends first, or is silent for too long and is ended, is an AnalyticsError. */
function hear(child: ChildProcess, timeoutMs: number): Promise<ChildReply | typeof READY> {
  return new Promise((resolve, reject) => {
    let isOverdue = false;
    const timer = setTimeout(() => {
      isOverdue = true;
      child.kill('SIGKILL');
    }, timeoutMs);
    // Held while somebody waits, else a caller with nothing else to do ends between a child's death and the word of it.
    child.ref();
    child.channel?.ref();
    const settle = (): void => {
      clearTimeout(timer);
      child.unref();
      child.channel?.unref();
      child.off('message', onMessage);
      child.off('exit', onExit);
      child.off('error', onExit);
    };
    const onMessage = (message: ChildReply | typeof READY): void => {
      settle();
      resolve(message);
    };
    const onExit = (code: unknown = null, signal: string | null = null): void => {
      settle();
      reject(exitError(isOverdue, code, signal));
    };
    child.on('message', onMessage);
    child.on('exit', onExit);
    child.on('error', onExit);
  });
}

function exitError(isOverdue: boolean, code: unknown, signal: string | null): AnalyticsError {
  if (isOverdue) {
    return new AnalyticsError('limit', 'the query process did not answer and was ended');
  }
  if (signal === MEMORY_SIGNAL) {
    return new AnalyticsError('limit', 'the query took more memory than it may, tables apart');
  }
  if (OWN_SIGNALS.has(signal) || (typeof code === 'number' && code !== 0)) {
    return new AnalyticsError('limit', `the query broke its process (${signal ?? String(code)})`);
  }
  return new AnalyticsError('lost', 'the query process was ended from outside');
}
