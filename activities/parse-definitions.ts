// What definitions need, asked of the engine's own parser.
import { type Needs, needsOf } from '../core/harness/definition.ts';
import { parseQuery } from '../core/harness/set-query.ts';
import type { Definition } from '../core/schemas/harness.ts';
import { textAt } from './cells.ts';
import { AnalyticsError } from './ports/analytics-error.ts';
import type { Analytics } from './ports/analytics.ts';

/** By name; a definition that does not parse needs nothing. */
export async function parseAll(
  analytics: Analytics,
  definitions: readonly Definition[],
): Promise<ReadonlyMap<string, Needs>> {
  if (definitions.length === 0) return new Map();
  const texts = definitions.map(({ kind, sql }) => (kind === 'metric' ? sql : `SELECT (${sql}\n)`));
  const [row] = await analytics.query({ sql: parseQuery(texts), tables: {} });
  const parsed = new Map<string, Needs>();
  for (const [index, { head }] of definitions.entries()) {
    const answer: unknown = JSON.parse(textAt(row, `p${index}`));
    try {
      parsed.set(head.name, needsOf(answer));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }
  return parsed;
}

export const isQueryFault = (error: unknown): error is AnalyticsError =>
  error instanceof AnalyticsError && error.failure === 'query';

export const firstLine = (text: string): string => text.split('\n')[0] ?? text;
