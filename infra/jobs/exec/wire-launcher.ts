// A launcher that asks a program, here or over there, in the protocol of docs/executors.md.
import type { z } from 'zod';
import { ExecutorError } from '../../../activities/ports/executor-error.ts';
import type { Resources } from '../../../core/schemas/executor-resources.ts';
import type { ClaimName, EndMode, Launcher, ListedClaim, Sighting, Site } from '../launcher.ts';
import type { Launch } from '../wrapper/launch.ts';
import {
  cancelAnswer,
  listAnswer,
  readJobName,
  statusAnswer,
  submitAnswer,
  wireJob,
} from './protocol.ts';
import type { WireOrder } from './protocol.ts';

export interface WireOptions {
  readonly name: string;
  /** All places there are. */
  readonly hosts: readonly string[];
  /** Brings one question to the place where the claim runs. */
  readonly ask: (host: string, question: unknown, timeoutMs: number) => Promise<unknown>;
  readonly site: (key: string) => Promise<Site>;
  /** Program and arguments of a wrapper there. */
  readonly command: (host: string) => readonly string[];
  readonly resources: Resources;
  /** A look that is younger is not repeated. */
  readonly lookMs: number;
}

const SUBMIT_MS_MAX = 120_000;
/** Less than the heartbeat timeout of the activity that waits. */
const LOOK_MS_MAX = 8_000;
const LIST_MS_MAX = 60_000;
/** Beyond the grace of a checkpoint: its upload, and the killing of who does not end. */
const CANCEL_MS_MAX = 90_000;

export class WireLauncher implements Launcher {
  readonly remote = true;
  readonly #options: WireOptions;
  readonly #looks = new Map<string, { readonly at: number; readonly seen: Sighting }>();

  constructor(options: WireOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  site(key: string): Promise<Site> {
    return this.#options.site(key);
  }

  async launch(claim: ClaimName, launch: Launch): Promise<void> {
    const { command, resources } = this.#options;
    const job = wireJob(claim);
    const stdin = JSON.stringify(launch);
    const order = { op: 'submit', job, command: command(claim.host), stdin, resources } as const;
    this.#looks.delete(job.name);
    const answer = await this.#ask(claim.host, order, submitAnswer, SUBMIT_MS_MAX);
    if (answer.state === 'refused') throw new ExecutorError('refused', answer.why);
  }

  async look(claim: ClaimName): Promise<Sighting> {
    const job = wireJob(claim);
    const last = this.#looks.get(job.name);
    if (last && performance.now() - last.at < this.#options.lookMs) return last.seen;
    const seen = await this.#ask(
      claim.host,
      { op: 'status', job },
      statusAnswer,
      LOOK_MS_MAX,
    ).catch((error: unknown): Sighting => {
      if (error instanceof ExecutorError) return { state: 'unknown', why: error.message };
      throw error;
    });
    if (seen.state === 'gone') this.#looks.delete(job.name);
    else this.#looks.set(job.name, { at: performance.now(), seen });
    return seen;
  }

  async end(claim: ClaimName, mode: EndMode, graceMs: number): Promise<void> {
    const job = wireJob(claim);
    this.#looks.delete(job.name);
    const order = { op: 'cancel', job, mode, grace_s: graceMs / 1000 } as const;
    await this.#ask(claim.host, order, cancelAnswer, graceMs + CANCEL_MS_MAX).catch(passing);
  }

  async list(place: string): Promise<ListedClaim[]> {
    const order = { op: 'list', place } as const;
    const answers = await Promise.all(
      this.#options.hosts.map(async (host) => {
        const { names } = await this.#ask(host, order, listAnswer, LIST_MS_MAX).catch(nothing);
        return names.flatMap((name) => {
          const told = readJobName(name, place);
          return told === null ? [] : [{ ...told, host }];
        });
      }),
    );
    return answers.flat();
  }

  async #ask<Answer>(
    host: string,
    order: WireOrder,
    schema: z.ZodType<Answer>,
    timeoutMs: number,
  ): Promise<Answer> {
    const answer = await this.#options.ask(host, { version: 1, ...order }, timeoutMs);
    const parsed = schema.safeParse(answer);
    if (parsed.success) return parsed.data;
    const place = `the answer of ${this.name} on ${host} to ${order.op}`;
    const [issue] = parsed.error.issues;
    throw new ExecutorError(
      'failed',
      `${place} is not as docs/executors.md says: ${issue?.message}`,
    );
  }
}

/** Who does not answer has nothing to tell. */
function nothing(error: unknown): z.infer<typeof listAnswer> {
  if (error instanceof ExecutorError) return { names: [] };
  throw error;
}

/** Whether a job ended is not known where the answer is an error: it is asked again. */
function passing(error: unknown): never {
  if (error instanceof ExecutorError) throw new ExecutorError('unreachable', error.message, error);
  throw error;
}
