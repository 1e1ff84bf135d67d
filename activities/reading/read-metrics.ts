// Every metric of a harness over one set, by outcome too, and for what is not measurable the reason.
import { featuresOf, metricsOf, type Needs } from '../../core/harness/definition.ts';
import { metricValue, type MetricRow, type OutcomeRows } from '../../core/harness/health.ts';
import {
  isSplitByOutcome,
  OUTCOME_CONDITIONS,
  outcomeBasis,
} from '../../core/harness/outcome-groups.ts';
import {
  type AskedMetric,
  columnsNamed,
  metricsQuery,
  outcomeViews,
  setViews,
} from '../../core/harness/set-query.ts';
import type {
  Harness,
  HealthReport,
  MetricDefinition,
  MetricValue,
} from '../../core/schemas/harness.ts';
import { numberAt, textAt } from './query-cells.ts';
import { explain, type QueryBase, TRAJECTORY_COLUMNS } from './explain-unmeasured.ts';
import { firstLine, isQueryFault, parseAll } from '../revising/parse-definitions.ts';
import type { Analytics, Row } from '../ports/analytics.ts';
import { type TrajectorySets, tablesOf } from './trajectory-tables.ts';

export interface MetricReading {
  readonly values: MetricValue[];
  readonly trajectories: number;
  readonly outcome: HealthReport['outcome'];
}

/** Metrics of one query: what they make the engine hold at once is bounded, and one that fails is soon found among them. */
const BATCH = 24;

export async function readMetrics(
  analytics: Analytics,
  harness: Harness,
  sets: TrajectorySets,
): Promise<MetricReading> {
  const metrics = metricsOf(harness);
  const needs = await parseAll(analytics, metrics);
  const base = queryBase(harness, sets, needs);
  const { fault, ...overview } = await readOverview(analytics, base, sets);
  const reasons = new Map<string, string>();
  for (const { head } of metrics) {
    const missing = missingTable(needs.get(head.name), sets) ?? fault;
    if (missing !== null) reasons.set(head.name, missing);
  }
  const asked = metrics
    .filter(({ head }) => !reasons.has(head.name))
    .map((metric) => askedMetric(harness, metric, overview, needs.get(metric.head.name)));
  const groups = overview.outcome && OUTCOME_CONDITIONS[overview.outcome.basis];
  const views = [...base.views, ...(groups === null ? [] : outcomeViews(groups))];
  const rows = await queryMetrics(analytics, { ...base, views }, asked);
  const withoutRow = new Set<string>();
  const values = metrics.map((metric) => {
    const { name } = metric.head;
    const why = reasons.get(name);
    const found = why === undefined ? (rows.get(name) ?? NOTHING_FOUND) : { why };
    if ('why' in found) return metricValue(metric, found);
    const value = metricValue(metric, found.all, found.groups);
    if (value.value === null) withoutRow.add(name);
    return value;
  });
  const read = { harness, values, needs, withoutRow };
  return { ...overview, values: await explain(analytics, base, read) };
}

/** What tells right from wrong; metrics may name none of it. */
const OUTCOME_COLUMNS = ['trajectory_id', 'hidden', 'visible', 'reward'];

function queryBase(
  harness: Harness,
  sets: TrajectorySets,
  needs: ReadonlyMap<string, Needs>,
): QueryBase {
  const features = featuresOf(harness);
  const named = metricsOf(harness).flatMap(({ sql }) => columnsNamed(sql, columnsOf(harness)));
  const isWhole = [...needs.values()].some(({ readsUnnamed }) => readsUnnamed);
  const columns = isWhole ? null : [...new Set([...OUTCOME_COLUMNS, ...named])].toSorted();
  const sides = sets.previous === null ? (['t'] as const) : (['t', 't_prev'] as const);
  return { tables: tablesOf(sets, features), views: setViews(sides, features, columns) };
}

const columnsOf = (harness: Harness): string[] => [
  ...TRAJECTORY_COLUMNS,
  ...featuresOf(harness).map(({ head }) => head.name),
];

function askedMetric(
  harness: Harness,
  metric: MetricDefinition,
  { outcome }: Pick<MetricReading, 'outcome'>,
  needs: Needs | undefined,
): AskedMetric {
  if (outcome === null || !isSplitByOutcome(metric, needs)) return { metric, byOutcome: null };
  const columns = columnsNamed(metric.sql, columnsOf(harness));
  const isWhole = needs?.readsUnnamed !== false || columns.length === 0;
  return { metric, byOutcome: { columns: isWhole ? null : columns } };
}

interface Overview extends Omit<MetricReading, 'values'> {
  /** Why features, and with them metrics, cannot be computed. */
  readonly fault: string | null;
}

async function readOverview(
  analytics: Analytics,
  base: QueryBase,
  sets: TrajectorySets,
): Promise<Overview> {
  try {
    return { ...(await countOutcomes(analytics, base, sets)), fault: null };
  } catch (error) {
    if (!isQueryFault(error)) throw error;
    const bare = { tables: tablesOf(sets), views: setViews(['t'], [], OUTCOME_COLUMNS) };
    return { ...(await countOutcomes(analytics, bare, sets)), fault: firstLine(error.message) };
  }
}

async function countOutcomes(
  analytics: Analytics,
  base: QueryBase,
  sets: TrajectorySets,
): Promise<Omit<MetricReading, 'values'>> {
  const labelled =
    sets.labels === null
      ? '0'
      : '(SELECT count(oracle_score) FROM t JOIN labels USING (trajectory_id))';
  const [counts] = await analytics.query({
    sql: `SELECT count(*) AS k, ${labelled} AS labelled, count(hidden.score) AS hidden, count(visible.score) AS visible, count(DISTINCT reward) AS rewards FROM t`,
    ...base,
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
    sql: `SELECT count(*) FILTER (${right}) AS right, count(*) FILTER (${wrong}) AS wrong FROM t`,
    ...base,
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

const NOTHING_FOUND: FoundRow = {
  all: { value: null, n: null, sd: null, samples: null, examples: [] },
  groups: null,
};

/** Many metrics in one query; where one of them is at fault, halves of them, until only it is not measurable. */
async function queryMetrics(
  analytics: Analytics,
  base: QueryBase,
  asked: readonly AskedMetric[],
): Promise<ReadonlyMap<string, FoundRow>> {
  const size = asked.length > BATCH ? BATCH : Math.ceil(asked.length / 2);
  try {
    if (asked.length <= BATCH) return await queryBatch(analytics, base, asked);
  } catch (error) {
    if (!isQueryFault(error)) throw error;
    const [only, second] = asked;
    if (only !== undefined && second === undefined) {
      return new Map([[only.metric.head.name, { why: firstLine(error.message) }]]);
    }
  }
  const found = [];
  for (let start = 0; start < asked.length; start += size) {
    const part = asked.slice(start, start + size);
    found.push(...(await queryMetrics(analytics, base, part)));
  }
  return new Map(found);
}

async function queryBatch(
  analytics: Analytics,
  base: QueryBase,
  asked: readonly AskedMetric[],
): Promise<ReadonlyMap<string, FoundRow>> {
  if (asked.length === 0) return new Map();
  const rows = await analytics.query({ sql: metricsQuery(asked), ...base });
  return new Map(asked.map(({ metric: { head } }) => [head.name, foundRow(rows, head.name)]));
}

function foundRow(rows: readonly Row[], name: string): FoundRow {
  const ofOutcome = (outcome: string): MetricRow | null => {
    const row = rows.find((one) => one['metric'] === name && textAt(one, 'outcome') === outcome);
    return row === undefined ? null : toMetricRow(row);
  };
  const [all, right, wrong] = [ofOutcome('all'), ofOutcome('right'), ofOutcome('wrong')];
  if (all === null) return NOTHING_FOUND;
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

function missingTable(needs: Needs | undefined, sets: TrajectorySets): string | null {
  const tables = needs?.tables ?? [];
  if (tables.includes('labels') && sets.labels === null) return 'there are no oracle labels';
  if (tables.includes('optimizer_metrics') && sets.optimizerMetrics === null) {
    return 'there are no optimizer metrics of the training that made this policy';
  }
  if (tables.includes('t_prev') && sets.previous === null) return 'there is no set before';
  return null;
}
