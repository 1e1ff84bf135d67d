// One campaign, polled for all who look at its pages, and for nobody once they have left.

interface Watched<Models> {
  /** Looks once. Does not throw. */
  look(): Promise<Models>;
  /** Whether a viewer should hear of it. */
  isOther(before: Models, now: Models): boolean;
}

const pollMs = 1000;
/** Reloads and sleeping laptops come back within this time. */
const lingerMs = 30_000;

export class CampaignWatch<Models> {
  readonly #watched: Watched<Models>;
  readonly #listeners = new Set<() => void>();
  #now: Models | null = null;
  #looking: Promise<Models> | null = null;
  #isPolled = false;
  #usedAt = 0;

  constructor(watched: Watched<Models>) {
    this.#watched = watched;
  }

  /** The newest look while it is polled, else a new one. */
  async models(): Promise<Models> {
    this.#use();
    return this.#now ?? this.#look();
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#use();
    return () => this.#listeners.delete(listener);
  }

  #use(): void {
    this.#usedAt = Date.now();
    if (this.#isPolled) return;
    this.#isPolled = true;
    this.#later();
  }

  async #poll(): Promise<void> {
    const before = this.#now;
    const now = await this.#look();
    if (before === null || this.#watched.isOther(before, now)) {
      for (const listener of this.#listeners) listener();
    }
    const isUsed = this.#listeners.size > 0 || Date.now() - this.#usedAt < lingerMs;
    if (isUsed) return this.#later();
    this.#isPolled = false;
    // What is not polled is old by the time that somebody comes again.
    this.#now = null;
  }

  #later(): void {
    setTimeout(() => void this.#poll(), pollMs).unref();
  }

  /** Once for all who ask meanwhile. */
  #look(): Promise<Models> {
    this.#looking ??= this.#watched
      .look()
      .then((models) => (this.#now = models))
      .finally(() => (this.#looking = null));
    return this.#looking;
  }
}
