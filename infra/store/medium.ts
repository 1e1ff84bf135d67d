// What an archive needs of the thing that holds its bytes: whole puts, create-only, and reading back.
import type { Readable } from 'node:stream';

/** Bytes to be stored; `open` may be called more than once, and its stream fails if the bytes are not the promised ones. */
export interface Body {
  readonly sizeBytes: number;
  open(): Readable;
}

/** Of an object's bytes, both ends included, as HTTP counts them. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Where the bytes of one root lie: a folder, a bucket's prefix, memory.
 *
 * **Contract:** `create` makes the whole object or none, and answers `created` to at most one of several writers.
 * A key is never overwritten. Throws StoreError; `unreachable` from `create` means that nobody knows whether it happened.
 */
export interface Medium {
  /** How a person names it: a path or a URL. */
  readonly url: string;
  create(key: string, body: Body): Promise<'created' | 'exists'>;
  /** Throws `missing`. */
  open(key: string, range?: ByteRange): Promise<Readable>;
  sizeBytes(key: string): Promise<number | null>;
  /** Keys that start with `prefix`, sorted by code unit. */
  list(prefix: string): Promise<string[]>;
}

export const byCodeUnit = (left: string, right: string): number =>
  left < right ? -1 : left > right ? 1 : 0;
