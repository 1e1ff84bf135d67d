// Every metric of a harness over one set, by outcome too, and for what is not measurable the reason.
import { featuresOf, metricsOf, type Needs } from '../core/harness/definition.ts';
import { metricValue, type MetricRow, type OutcomeRows } from '../core/harness/health.ts';
import {
  isSplitByOutcome,
  OUTCOME_CONDITIONS,
  type OutcomeBasis,
  outcomeBasis,
} from '../core/harness/outcome-groups.ts';
import { metricsQuery, withKept } from '../core/harness/set-query.ts';
import type {
  Harness,
  HealthReport,
  MetricDefinition,
  MetricValue,
} from '../core/schemas/harness.ts';
import { trajectorySchema } from '../core/schemas/trajectory.ts';
import { numberAt, textAt } from './cells.ts';
import { firstLine, isQueryFault, parseAll } from './parse-definitions.ts';
import type { Analytics, Row } from './ports/analytics.ts';
import { type EvidenceSets, tablesOf } from './sets.ts';

export interface Measured {
  readonly values: MetricValue[];
  readonly trajectories: number;
  readonly outcome: HealthReport['outcome'];
}

export async function readMetrics(
  analytics: Analytics,
  harness: Harness,
  sets: EvidenceSets,
): Promise<Measured> {
  const metrics = metricsOf(harness);
  const needs = await parseAll(analytics, metrics);
  const overview = await readOverview(analytics, sets);
  const reasons = new Map<string, string>();
  for (const { head } of metrics) {
    const missing = missingTable(needs.get(head.name), sets);
    if (missing !== null) reasons.set(head.name, missing);
  }
  const rows = await queryMetrics(analytics, {
    harness,
    sets,
    basis: overview.outcome?.basis ?? null,
    byOutcome: new Set(
      metrics
        .filter((metric) => isSplitByOutcome(metric, needs.get(metric.head.name)))
        .map(({ head }) => head.name),
    ),
    metrics: metrics.filter(({ head }) => !reasons.has(head.name)),
  });
  const values = metrics.map((metric) => {
    const { name } = metric.head;
    const why = reasons.get(name);
    const found = why === undefined ? rows.get(name) : { why };
    if (found === undefined || 'why' in found) {
      return metricValue(metric, found ?? { why: NO_ROW });
    }
    return metricValue(metric, found.all, found.groups);
  });
  return { ...overview, values: await explain(analytics, harness, sets, values, needs) };
}

const NO_ROW = 'no row to measure it on';

async function readOverview(
  analytics: Analytics,
  sets: EvidenceSets,
): Promise<Omit<Measured, 'values'>> {
  const tables = tablesOf(sets);
  const labelled =
    sets.labels === null
      ? '0'
      : '(SELECT count(oracle_score) FROM t_rows t JOIN labels USING (trajectory_id))';
  const [counts] = await analytics.query({
    sql: `SELECT count(*) AS k, ${labelled} AS labelled, count(hidden.score) AS hidden, count(visible.score) AS visible, count(DISTINCT reward) AS rewards FROM t_rows`,
    tables,
  });
  const count = (name: string): number => numberAt(counts, name) ?? 0;
  const basis = outcomeBasis({
    labelled: count('labelled'),
    hidden: count('hidden'),
    visible: count('visible'),
    rewards: count('rewards'),
  });
  const trajectories = count('k');
  if (basis === null) return { trajectories, outcome: null };
  const { right, wrong } = OUTCOME_CONDITIONS[basis];
  const [split] = await analytics.query({
    sql: `WITH t AS (SELECT * FROM t_rows) SELECT count(*) FILTER (${right}) AS right, count(*) FILTER (${wrong}) AS wrong FROM t`,
    tables,
  });
  const outcome = {
    basis,
    right: numberAt(split, 'right') ?? 0,
    wrong: numberAt(split, 'wrong') ?? 0,
  };
  return { trajectories, outcome };
}

type FoundRow =
  | { readonly all: MetricRow; readonly groups: OutcomeRows | null }
  | { readonly why: string };

interface MetricsRequest {
  readonly harness: Harness;
  readonly sets: EvidenceSets;
  readonly basis: OutcomeBasis | null;
  readonly byOutcome: ReadonlySet<string>;
  readonly metrics: readonly MetricDefinition[];
}

/** All metrics in one query; where one of them is at fault, halves of them, until only it is not measurable. */
async function queryMetrics(
  analytics: Analytics,
  request: MetricsRequest,
): Promise<ReadonlyMap<string, FoundRow>> {
  const { harness, sets, basis, byOutcome, metrics } = request;
  if (metrics.length === 0) return new Map();
  const named = sets.previous === null ? (['t'] as const) : (['t', 't_prev'] as const);
  const features = featuresOf(harness);
  const prefix = withKept(named, features);
  const conditions = basis === null ? null : OUTCOME_CONDITIONS[basis];
  try {
    const rows = await analytics.query({
      sql: metricsQuery(prefix, metrics, conditions, byOutcome),
      tables: tablesOf(sets, features),
    });
    return new Map(metrics.map(({ head }) => [head.name, foundRow(rows, head.name)]));
  } catch (error) {
    if (!isQueryFault(error)) throw error;
    const [only, second] = metrics;
    if (only !== undefined && second === undefined) {
      return new Map([[only.head.name, { why: firstLine(error.message) }]]);
    }
    const middle = Math.ceil(metrics.length / 2);
    const halves = [metrics.slice(0, middle), metrics.slice(middle)];
    const found = [];
    for (const half of halves) {
      found.push(...(await queryMetrics(analytics, { ...request, metrics: half })));
    }
    return new Map(found);
  }
}

function foundRow(rows: readonly Row[], name: string): FoundRow {
  const ofOutcome = (outcome: string): MetricRow | null => {
    const row = rows.find((one) => one['metric'] === name && textAt(one, 'outcome') === outcome);
    return row === undefined ? null : toMetricRow(row);
  };
  const [all, right, wrong] = [ofOutcome('all'), ofOutcome('right'), ofOutcome('wrong')];
  if (all === null) return { why: NO_ROW };
  return { all, groups: right === null && wrong === null ? null : { right, wrong } };
}

function toMetricRow(row: Row): MetricRow {
  const examples = row['examples'];
  return {
    value: numberAt(row, 'value'),
    n: numberAt(row, 'n'),
    sd: numberAt(row, 'sd'),
    samples: numberAt(row, 'samples'),
    examples: Array.isArray(examples) ? examples.map(String) : [],
  };
}

function missingTable(needs: Needs | undefined, sets: EvidenceSets): string | null {
  const tables = needs?.tables ?? [];
  if (tables.includes('labels') && sets.labels === null) return 'there are no oracle labels';
  if (tables.includes('steps') && sets.steps === null) {
    return 'there are no optimizer steps of the run that made this policy';
  }
  if (tables.includes('t_prev') && sets.previous === null) return 'there is no set before';
  return null;
}

/** What had no row to be measured on says which of its columns are empty in this set. */
async function explain(
  analytics: Analytics,
  harness: Harness,
  sets: EvidenceSets,
  values: readonly MetricValue[],
  needs: ReadonlyMap<string, Needs>,
): Promise<MetricValue[]> {
  const isUnexplained = ({ why }: MetricValue): boolean => why === NO_ROW;
  if (!values.some(isUnexplained)) return [...values];
  const features = await parseAll(analytics, featuresOf(harness));
  const columnsOf = (name: string): string[] => [
    ...new Set(
      (needs.get(name)?.columns ?? [])
        .flatMap((column) => features.get(column)?.columns ?? [column])
        .flatMap((column) => knownColumn(column) ?? []),
    ),
  ];
  const asked = values.filter(isUnexplained).flatMap(({ name }) => columnsOf(name));
  const empty = await emptyColumns(analytics, sets, [...new Set(asked)]);
  return values.map((value) => {
    if (!isUnexplained(value)) return value;
    const own = needs.get(value.name);
    const why = own?.tables.includes('steps')
      ? `the steps of the run do not tell ${own.columns.filter((one) => one !== 'step').join(', ')}`
      : own?.columns.includes('detected') && blindTo(harness)
        ? 'the harness has no detector for these trajectories'
        : emptiness(columnsOf(value.name).filter((one) => empty.has(one)));
    return { ...value, why };
  });
}

const blindTo = (harness: Harness): boolean =>
  featuresOf(harness).every(({ head }) => head.class === null);

function emptiness(columns: readonly string[]): string {
  if (columns.length === 0) return NO_ROW;
  const [what, verb] = columns.length === 1 ? ['column', 'is'] : ['columns', 'are'];
  return `${what} ${columns.join(', ')} ${verb} empty in this set`;
}

const COLUMNS: readonly string[] = Object.keys(trajectorySchema.shape);
const OUTCOMES: readonly string[] = ['visible', 'hidden'];
const OUTCOME_FIELDS: readonly string[] = Object.keys(trajectorySchema.shape.visible.shape);

/** `reward`, or `hidden.score` of an outcome; null for names that a query gives by itself. */
function knownColumn(name: string): string | null {
  const [first, field] = name.split('.');
  if (first === undefined || !COLUMNS.includes(first)) return null;
  if (!OUTCOMES.includes(first)) return first;
  return field !== undefined && OUTCOME_FIELDS.includes(field) ? `${first}.${field}` : null;
}

async function emptyColumns(
  analytics: Analytics,
  sets: EvidenceSets,
  columns: readonly string[],
): Promise<ReadonlySet<string>> {
  const { t_rows } = tablesOf(sets);
  if (t_rows === undefined || columns.length === 0) return new Set();
  const counts = columns.map(
    (column, place) => `count(nullif(${column}::VARCHAR, '[]')) AS c${place}`,
  );
  const [row] = await analytics.query({
    sql: `SELECT ${counts.join(', ')} FROM t_rows`,
    tables: { t_rows },
  });
  return new Set(columns.filter((_, place) => numberAt(row, `c${place}`) === 0));
}
