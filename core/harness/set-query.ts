// How definitions become one query: features are bound to facts alone, metrics to `t`, rules to structs of values.
import type { FeatureDefinition, MetricDefinition, RuleDefinition } from '../schemas/harness.ts';

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** The loaded tables a query stands on: rows of the set and, where there is one, of the set before. */
export const SET_TABLES = { t: 't_rows', t_prev: 't_prev_rows' } as const;

/**
 * `WITH` of the sets, each its rows with a column a feature and `detected`, the names of the detectors that fire (NULL
 * where there is none). Features
 * see a view of the fact columns alone, joined back by position, so that no expression can read a label, a reward or an id.
 */
export function withSets(
  sets: readonly (keyof typeof SET_TABLES)[],
  features: readonly FeatureDefinition[],
  factColumns: readonly string[],
): string {
  const facts = factColumns.map(quote).join(', ');
  const columns = features.map(({ head, sql }) => `(${sql}\n) AS ${quote(head.name)}`);
  const fired = firedDetectors(features);
  const parts = sets.map((set) => {
    const rows = SET_TABLES[set];
    const source = `(SELECT ${facts} FROM ${set}_whole)`;
    if (columns.length === 0) return `${set} AS (SELECT *, ${fired} AS detected FROM ${rows})`;
    return [
      // Rows of several files come in an order that two readings need not share, so they are read once.
      `${set}_whole AS MATERIALIZED (SELECT * FROM ${rows})`,
      `${set}_features AS MATERIALIZED (SELECT ${columns.join(',\n')} FROM ${source})`,
      `${set} AS MATERIALIZED (SELECT *, ${fired} AS detected FROM ${set}_whole POSITIONAL JOIN ${set}_features)`,
    ].join(',\n');
  });
  return `WITH ${parts.join(',\n')}`;
}

/**
 * `WITH` of sets whose rows have their features beside them already. Not materialised: each metric reads the columns that
 * it names, and memory does not grow with the set.
 */
export function withKept(
  sets: readonly (keyof typeof SET_TABLES)[],
  features: readonly FeatureDefinition[],
): string {
  const fired = firedDetectors(features);
  const parts = sets.map(
    (set) => `${set} AS NOT MATERIALIZED (SELECT *, ${fired} AS detected FROM ${SET_TABLES[set]})`,
  );
  return `WITH ${parts.join(',\n')}`;
}

function firedDetectors(features: readonly FeatureDefinition[]): string {
  const names = features.filter(({ head }) => head.class !== null).map(({ head }) => head.name);
  if (names.length === 0) return 'NULL::VARCHAR[]';
  const cases = names.map((name) => `CASE WHEN ${quote(name)} THEN ${literal(name)} END`);
  return `list_filter([${cases.join(', ')}]::VARCHAR[], lambda name: name IS NOT NULL)`;
}

/** Rows of `t` by outcome, as conditions. */
export interface OutcomeConditions {
  readonly right: string;
  readonly wrong: string;
}

/**
 * One query for many metrics: a row each with the metric's name, and, for those that `byOutcome` names, one more over
 * the right and one over the wrong rows of `t`.
 */
export function metricsQuery(
  sets: string,
  metrics: readonly MetricDefinition[],
  conditions: OutcomeConditions | null = null,
  byOutcome: ReadonlySet<string> = new Set(),
): string {
  const groups = Object.entries(conditions ?? {});
  const tables = groups.map(
    ([group, condition]) => `t_${group} AS (SELECT * FROM t WHERE ${condition})`,
  );
  const branches = metrics.flatMap(({ head, sql }) => [
    metricBranch(head.name, 'all', sql),
    ...groups
      .filter(() => byOutcome.has(head.name))
      .map(([group]) =>
        // A metric names its table t; inside, that name stands for the group.
        metricBranch(
          head.name,
          group,
          `WITH t AS (SELECT * FROM t_${group}) SELECT * FROM (${sql}\n)`,
        ),
      ),
  ]);
  return `${[sets, ...tables].join(',\n')}\n${branches.join('\nUNION ALL BY NAME\n')}`;
}

const metricBranch = (name: string, outcome: string, sql: string): string =>
  `SELECT ${literal(name)} AS metric, ${literal(outcome)} AS outcome, ` +
  `* REPLACE (value::DOUBLE AS value, n::DOUBLE AS n, sd::DOUBLE AS sd, examples::VARCHAR[] AS examples) ` +
  `FROM (${sql}\n)`;

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
