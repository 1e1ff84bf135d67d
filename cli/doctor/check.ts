// The result of one check of `evo doctor`.

export interface Check {
  readonly name: string;
  readonly result: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  /** Null if nothing is wrong. */
  readonly cure: string | null;
}

export const good = (name: string, detail: string): Check => ({
  name,
  result: 'ok',
  detail,
  cure: null,
});

export const warning = (name: string, detail: string, cure: string): Check => ({
  name,
  result: 'warn',
  detail,
  cure,
});

export const failed = (name: string, detail: string, cure: string): Check => ({
  name,
  result: 'fail',
  detail,
  cure,
});
