// Cells of query results as the type that the query promised.
import type { Row } from './ports/analytics.ts';

/** A finite number, else null. */
export function numberAt(row: Row | undefined, name: string): number | null {
  const cell = row?.[name] ?? null;
  return typeof cell === 'number' && Number.isFinite(cell) ? cell : null;
}

/** Text; throws RangeError where the column holds something else, which is a mistake in the query. */
export function textAt(row: Row | undefined, name: string): string {
  const cell = row?.[name] ?? null;
  if (typeof cell === 'string') return cell;
  throw new RangeError(`column ${name} holds no text`);
}
