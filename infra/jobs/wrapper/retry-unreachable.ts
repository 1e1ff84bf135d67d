// How long a wrapper bears a store that cannot be reached: its trainer burns a machine for nothing meanwhile.
import { setTimeout as sleep } from 'node:timers/promises';
import { isStoreError } from '../../../activities/ports/store-error.ts';

const PAUSE_MS = 500;

export class Patience {
  readonly #limitMs: number;
  #unreachableSince: number | null = null;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** Tries again while the store is unreachable, until it has been so for the limit; then its error is thrown. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        const result = await work();
        this.#unreachableSince = null;
        return result;
      } catch (error) {
        if (!isStoreError(error, 'unreachable')) throw error;
        this.#unreachableSince ??= performance.now();
        if (performance.now() - this.#unreachableSince > this.#limitMs) throw error;
        await sleep(Math.min(PAUSE_MS, this.#limitMs / 4));
      }
    }
  }
}
