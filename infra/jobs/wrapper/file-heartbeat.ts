// Shows that this process lives: the time of its file changes as long as its event loop turns. A process that was stopped, or that
// hangs, holds its lock and looks alive otherwise.
import { utimes } from 'node:fs/promises';

const EVERY_MS_MAX = 1_000;

export class FileHeartbeat {
  readonly #timer: NodeJS.Timeout;

  /** Several times within the limit after which one that shows nothing is given up. */
  constructor(path: string, limitMs: number) {
    this.#timer = setInterval(
      () => {
        const now = new Date();
        // Without it the claim is given up in the end; nothing here can do better.
        utimes(path, now, now).catch(() => {});
      },
      Math.min(EVERY_MS_MAX, limitMs / 4),
    );
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
