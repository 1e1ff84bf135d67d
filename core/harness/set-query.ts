// How definitions become one query: features are bound to facts alone, metrics to `t`, rules to structs of values.
import type { FeatureDefinition, MetricDefinition, RuleDefinition } from '../schemas/harness.ts';

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** The loaded tables a query stands on: rows of the set and, where there is one, of the set before. */
export const SET_TABLES = { t: 't_rows', t_prev: 't_prev_rows' } as const;

/**
 * `WITH` of the sets, each its rows with a column a feature. Features see a view of the fact columns alone, joined back
 * by position, so that no expression can read a label, a reward or an id.
 */
export function withSets(
  sets: readonly (keyof typeof SET_TABLES)[],
  features: readonly FeatureDefinition[],
  factColumns: readonly string[],
): string {
  const facts = factColumns.map(quote).join(', ');
  const columns = features.map(({ head, sql }) => `(${sql}\n) AS ${quote(head.name)}`);
  const parts = sets.map((set) => {
    const rows = SET_TABLES[set];
    const source = `(SELECT ${facts} FROM ${rows})`;
    if (columns.length === 0) return `${set} AS (SELECT * FROM ${rows})`;
    return [
      `${set}_features AS MATERIALIZED (SELECT ${columns.join(',\n')} FROM ${source})`,
      `${set} AS MATERIALIZED (SELECT * FROM ${rows} POSITIONAL JOIN ${set}_features)`,
    ].join(',\n');
  });
  return `WITH ${parts.join(',\n')}`;
}

/** One query for many metrics; a row each, with the metric's name. */
export const metricsQuery = (sets: string, metrics: readonly MetricDefinition[]): string =>
  `${sets}\n${metrics.map(({ head, sql }) => metricBranch(head.name, sql)).join('\nUNION ALL BY NAME\n')}`;

const metricBranch = (name: string, sql: string): string =>
  `SELECT ${literal(name)} AS metric, * REPLACE (value::DOUBLE AS value, n::DOUBLE AS n, ` +
  `sd::DOUBLE AS sd, examples::VARCHAR[] AS examples) FROM (${sql}\n)`;

type Values = Readonly<Record<string, number | null>>;

/** What rules compare: values of this generation, the two before, and the first. Absent = not measurable. */
export interface RuleValues {
  readonly now: Values;
  readonly prev: Values;
  readonly prev2: Values;
  readonly first: Values;
}

/** One row with a boolean column a rule, named after it. */
export function rulesQuery(rules: readonly RuleDefinition[], values: RuleValues): string {
  const metrics = [...new Set(Object.values(values).flatMap((one) => Object.keys(one)))].toSorted();
  const structs = Object.entries(values).map(
    ([name, one]) => `${structOf(metrics, one)} AS ${quote(name)}`,
  );
  const columns = rules.map(({ head, sql }) => `(${sql}\n)::BOOLEAN AS ${quote(head.name)}`);
  return `SELECT ${columns.join(',\n')} FROM (SELECT ${structs.join(', ')})`;
}

function structOf(metrics: readonly string[], values: Values): string {
  const fields = metrics.map((name) => {
    const value = values[name] ?? null;
    return `${quote(name)} := ${value === null ? 'NULL' : literal(String(value))}::DOUBLE`;
  });
  return `struct_pack(${fields.length === 0 ? 'nothing := NULL' : fields.join(', ')})`;
}

/** One row with the parse of each text, in order: json_serialize_sql of a query or, with SELECT, of an expression. */
export const parseQuery = (texts: readonly string[]): string =>
  `SELECT ${texts.map((text, index) => `json_serialize_sql(${literal(text)}) AS p${index}`).join(', ')}`;
