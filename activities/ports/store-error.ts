// The one error of a store. Its kind decides who can cure it; the message says where and how.

export const STORE_ERROR_KINDS = [
  'missing',
  'damaged',
  'full',
  'unreachable',
  'denied',
  'invalid',
] as const;
export type StoreErrorKind = (typeof STORE_ERROR_KINDS)[number];

interface StoreErrorFields {
  readonly kind: StoreErrorKind;
  /** Root and key, or the path of the disk. */
  readonly where: string;
  readonly problem: string;
  readonly cure: string;
  readonly cause?: unknown;
}

/** `unreachable` may pass by itself; every other kind stays until somebody acts. */
export class StoreError extends Error {
  readonly kind: StoreErrorKind;
  readonly where: string;
  readonly problem: string;
  readonly cure: string;

  constructor({ kind, where, problem, cure, cause }: StoreErrorFields) {
    super(`${problem} [${where}]: ${cure}`, cause === undefined ? {} : { cause });
    this.name = 'StoreError';
    this.kind = kind;
    this.where = where;
    this.problem = problem;
    this.cure = cure;
  }
}

/** Whether this is a StoreError, of one of the kinds where kinds are given. */
export function isStoreError(error: unknown, ...kinds: StoreErrorKind[]): error is StoreError {
  return error instanceof StoreError && (kinds.length === 0 || kinds.includes(error.kind));
}
