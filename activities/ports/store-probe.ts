import type { Store } from './store.ts';

/**
 * One root of an archive under examination: what a store promises, asked of the medium that is configured.
 *
 * **Contract:** everything it writes lies below `doctor/`, which nothing refers to. Throws StoreError as a store does.
 */
export interface StoreProbe {
  readonly url: string;
  /** Reaches and reads the root. The store's clock less this machine's; null where both are one. */
  clockOffsetMs(): Promise<number | null>;
  /** An adapter of its own at each call, so that no two writers share anything. */
  open(): Store;
  /** An adapter that carries every create out and never hears the answer. */
  openLosingAnswers(): Store;
  /** Creates an object at `key` by stream, in parts where the medium has them, and reads it back by stream. */
  roundTrip(key: string, bytes: Uint8Array): Promise<Uint8Array>;
  /** Both ends included. */
  readRange(key: string, first: number, last: number): Promise<Uint8Array>;
  /** Sends bytes under the checksum of others; null where a medium knows none. */
  refusesWrongChecksum(key: string): Promise<boolean | null>;
}
