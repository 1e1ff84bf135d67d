// One half of the labelled trajectories, asked through expressions: all that a proposer of detectors ever holds of them.
import { needsOf } from '../../core/harness/definition.ts';
import {
  boundsQuery,
  type Half,
  marksQuery,
  valuesQuery,
} from '../../core/harness/mining/half-query.ts';
import { parseQuery } from '../../core/harness/set-query.ts';
import type { ArtifactRef } from '../../core/schemas/artifact.ts';
import type { FeatureDefinition } from '../../core/schemas/harness.ts';
import { numberAt, textAt } from '../reading/query-cells.ts';
import { AnalyticsError } from '../ports/analytics-error.ts';
import type { Analytics, Row, TableSource } from '../ports/analytics.ts';
import type { LabelledHalf, Marks } from '../ports/researcher.ts';
import { FACT_COLUMNS, parquetOf, withFeatures } from '../reading/trajectory-tables.ts';

export const UNTRUSTED = { memoryMb: 512, timeoutMs: 20_000, rowsMax: 10_000 } as const;
/** A query of several hundred expressions over some thousand trajectories, and no more. */
const MINING = { memoryMb: 1024, timeoutMs: 180_000, rowsMax: 10_000 } as const;
const EXPRESSIONS_MAX = 1000;

export interface LabelledSet {
  readonly diag: ArtifactRef;
  readonly labels: ArtifactRef;
}

/** `known` are the detectors whose finds are no cases any more; columns of `kept` are computed once a set and kept. */
export function openHalf(
  analytics: Analytics,
  half: Half,
  sets: readonly LabelledSet[],
  known: readonly FeatureDefinition[],
  kept: readonly FeatureDefinition[] = known,
): LabelledHalf {
  const tables = tablesOf(sets, kept);
  const ask = async (sql: string): Promise<Row[]> =>
    analytics.query({ sql, tables, limits: MINING });
  return {
    marks: async (predicates) => {
      await requireExpressions(analytics, predicates);
      const [row] = await ask(marksQuery(half, FACT_COLUMNS, predicates, { known, kept }));
      const text = (name: string): string => (row?.[name] == null ? '' : textAt(row, name));
      const marks: Marks = {
        cases: text('cases'),
        honest: text('honest'),
        predicates: predicates.map((_, index) => text(`m${index}`)),
      };
      return marks;
    },
    values: async (lists, limits) => {
      await requireExpressions(analytics, lists);
      const rows = await ask(valuesQuery(half, FACT_COLUMNS, lists, limits));
      return lists.map((_, index) =>
        rows.filter((row) => numberAt(row, 'list') === index).map((row) => textAt(row, 'value')),
      );
    },
    bounds: async (numbers) => {
      await requireExpressions(analytics, numbers);
      const rows = await ask(boundsQuery(half, FACT_COLUMNS, numbers));
      return numbers.map((_, index) => {
        const bounds = rows.find((row) => numberAt(row, 'number') === index)?.['bounds'];
        return Array.isArray(bounds) ? bounds.map(Number) : [];
      });
    },
  };
}

const tablesOf = (
  sets: readonly LabelledSet[],
  kept: readonly FeatureDefinition[],
): Readonly<Record<string, TableSource>> => ({
  t_rows: withFeatures(parquetOf(...sets.map(({ diag }) => diag)), kept),
  labels: parquetOf(...sets.map(({ labels }) => labels)),
});

/** Throws AnalyticsError that says which expression is none over the facts of one trajectory. */
async function requireExpressions(analytics: Analytics, texts: readonly string[]): Promise<void> {
  if (texts.length > EXPRESSIONS_MAX) {
    throw new AnalyticsError(
      'query',
      `${texts.length} expressions; ask at most ${EXPRESSIONS_MAX}`,
    );
  }
  const refusals = await refuseExpressions(analytics, texts);
  const index = refusals.findIndex((refusal) => refusal !== null);
  if (index >= 0) throw new AnalyticsError('query', `${texts[index]}: ${refusals[index]}`);
}

/** An expression over facts reads no table; every other binding is refused by the view it is bound to. */
export async function refuseExpressions(
  analytics: Analytics,
  texts: readonly string[],
): Promise<(string | null)[]> {
  if (texts.length === 0) return [];
  const sql = parseQuery(texts.map((text) => `SELECT (${text}\n)`));
  const [row] = await analytics.query({ sql, tables: {}, limits: UNTRUSTED });
  return texts.map((_, index) => {
    try {
      const needs = needsOf(JSON.parse(textAt(row, `p${index}`)));
      if (!needs.hasSubquery && needs.tables.length === 0) return null;
      return 'an expression over one trajectory reads no table and holds no SELECT';
    } catch (error) {
      if (error instanceof RangeError) return error.message;
      throw error;
    }
  });
}
