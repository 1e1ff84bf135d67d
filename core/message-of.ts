// The message of anything that was thrown.

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** Without the lines on which DuckDB and other engines point into the text. */
export const firstLineOf = (error: unknown): string => messageOf(error).split('\n')[0] ?? '';
