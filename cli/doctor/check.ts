// What a check of this machine answers.

export interface Check {
  readonly name: string;
  readonly level: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  /** What to do about it; null where nothing is wrong. */
  readonly cure: string | null;
}

export const good = (name: string, detail: string): Check => ({
  name,
  level: 'ok',
  detail,
  cure: null,
});

export const warning = (name: string, detail: string, cure: string): Check => ({
  name,
  level: 'warn',
  detail,
  cure,
});

export const failed = (name: string, detail: string, cure: string): Check => ({
  name,
  level: 'fail',
  detail,
  cure,
});

export const messageOf = (error: unknown): string =>
  error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
