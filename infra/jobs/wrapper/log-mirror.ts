// Copies the trainer's log to standard output, which is the log of the job wherever somebody else keeps it.
import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClaimRun } from './run-claim.ts';

const CHUNK_BYTES = 65_536;

export class LogMirror {
  readonly #stopping = new AbortController();
  readonly #stopped: Promise<void>;
  readonly #log: string;
  #copiedBytes = 0;

  constructor({ launch, folder, request }: ClaimRun) {
    this.#log = folder.trainerLog;
    const isWanted = launch.mirrorsLog && !request.sealed;
    this.#stopped = isWanted ? this.#follow(launch.limits.pollMs) : Promise.resolve();
  }

  /** Copies what is left first. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#stopped;
  }

  async #follow(pollMs: number): Promise<void> {
    const { signal } = this.#stopping;
    // Nobody reads any more: the file still has it all.
    process.stdout.on('error', () => {});
    for (;;) {
      const isLast = signal.aborted;
      await this.#copy();
      if (isLast) return;
      await sleep(pollMs, undefined, { signal }).catch(() => {});
    }
  }

  async #copy(): Promise<void> {
    const file = await open(this.#log).catch(() => null);
    if (file === null) return;
    try {
      const chunk = Buffer.alloc(CHUNK_BYTES);
      for (;;) {
        const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, this.#copiedBytes);
        if (bytesRead === 0) return;
        this.#copiedBytes += bytesRead;
        process.stdout.write(Buffer.from(chunk.subarray(0, bytesRead)));
      }
    } finally {
      await file.close();
    }
  }
}
