// Reads a set of trajectories with a harness: every metric, then every rule over the metrics' values.
import { type Needs, needsOf, featuresOf, metricsOf, rulesOf } from '../core/harness/definition.ts';
import { findBottleneck, findingOf, type RuleAnswer } from '../core/harness/bottleneck.ts';
import { campaignValues, metricValue, type MetricRow, valuesByName } from '../core/harness/health.ts';
import {
  metricsQuery,
  parseQuery,
  rulesQuery,
  type RuleValues,
  withSets,
} from '../core/harness/set-query.ts';
import type {
  Harness,
  HealthReport,
  MetricDefinition,
  MetricValue,
  RuleDefinition,
} from '../core/schemas/harness.ts';
import { numberAt, textAt } from './cells.ts';
import { AnalyticsError } from './ports/analytics-error.ts';
import type { Analytics, Row } from './ports/analytics.ts';
import { type EvidenceSets, FACT_COLUMNS, tablesOf } from './sets.ts';

export interface HealthInput {
  readonly harness: Harness;
  readonly generation: number;
  readonly sets: EvidenceSets;
  /** Reports of earlier generations, oldest first. */
  readonly previous: readonly HealthReport[];
  /** Categories that the incumbent has lost and not won back. */
  readonly lost: readonly string[];
}

export async function readHealth(analytics: Analytics, input: HealthInput): Promise<HealthReport> {
  const { harness, generation, sets, previous, lost } = input;
  const values = await readMetrics(analytics, harness, sets);
  const answers = await readRules(analytics, harness, {
    now: { ...valuesByName({ values }), ...campaignValues(lost) },
    prev: namedValues(previous.at(-1)),
    prev2: namedValues(previous.at(-2)),
    first: namedValues(previous[0]),
  });
  const findings = rulesOf(harness)
    .map((rule) =>
      findingOf(rule, answers.get(rule.head.name) ?? { fired: null, why: 'no answer' }, values),
    )
    .map((finding) => ({ ...finding, reads: finding.reads.replace('{lost}', lost.join(', ')) }));
  return {
    version: 1,
    generation,
    domain: harness.domain.name,
    trajectories: await countTrajectories(analytics, sets),
    values,
    findings,
    ...findBottleneck(findings, harness.domain.order),
  };
}

const namedValues = (report: HealthReport | undefined): Readonly<Record<string, number | null>> =>
  report === undefined ? {} : valuesByName(report);

async function countTrajectories(analytics: Analytics, sets: EvidenceSets): Promise<number> {
  const { t_rows } = tablesOf(sets);
  if (t_rows === undefined) return 0;
  const rows = await analytics.query({
    sql: 'SELECT count(*) AS k FROM t_rows',
    tables: { t_rows },
  });
  return numberAt(rows[0], 'k') ?? 0;
}

async function readMetrics(
  analytics: Analytics,
  harness: Harness,
  sets: EvidenceSets,
): Promise<MetricValue[]> {
  const metrics = metricsOf(harness);
  const needs = await parseAll(analytics, metrics);
  const reasons = new Map<string, string>();
  for (const { head } of metrics) {
    const missing = missingTable(needs.get(head.name), sets);
    if (missing !== null) reasons.set(head.name, missing);
  }
  const measurable = metrics.filter(({ head }) => !reasons.has(head.name));
  const rows = await queryMetrics(analytics, harness, sets, measurable);
  return metrics.map((metric) => {
    const { name } = metric.head;
    const why = reasons.get(name);
    return metricValue(
      metric,
      why === undefined ? (rows.get(name) ?? { why: 'no row to measure it on' }) : { why },
    );
  });
}

type MetricRows = ReadonlyMap<string, MetricRow | { readonly why: string }>;

/** All metrics in one query; where one of them is at fault, each alone, so that only it is not measurable. */
async function queryMetrics(
  analytics: Analytics,
  harness: Harness,
  sets: EvidenceSets,
  metrics: readonly MetricDefinition[],
): Promise<MetricRows> {
  if (metrics.length === 0) return new Map();
  const named = sets.previous === null ? (['t'] as const) : (['t', 't_prev'] as const);
  const prefix = withSets(named, featuresOf(harness), FACT_COLUMNS);
  try {
    const rows = await analytics.query({
      sql: metricsQuery(prefix, metrics),
      tables: tablesOf(sets),
    });
    return new Map(rows.map((row) => [textAt(row, 'metric'), toMetricRow(row)]));
  } catch (error) {
    if (!isQueryFault(error)) throw error;
    const [only, second] = metrics;
    if (only !== undefined && second === undefined) {
      return new Map([[only.head.name, { why: firstLine(error.message) }]]);
    }
    const alone = [];
    for (const metric of metrics) {
      alone.push(...(await queryMetrics(analytics, harness, sets, [metric])));
    }
    return new Map(alone);
  }
}

async function readRules(
  analytics: Analytics,
  harness: Harness,
  values: RuleValues,
): Promise<ReadonlyMap<string, RuleAnswer>> {
  const rules = rulesOf(harness);
  if (rules.length === 0) return new Map();
  const needs = await parseAll(analytics, rules);
  const answers = new Map<string, RuleAnswer>();
  for (const [name, fired] of await queryRules(analytics, rules, values)) {
    const missing = missingValues(needs.get(name), values);
    answers.set(name, {
      fired: typeof fired === 'boolean' ? fired : null,
      why: typeof fired === 'boolean' ? null : (missing ?? String(fired ?? 'not measurable')),
    });
  }
  return answers;
}

type RuleCell = boolean | string | null;

async function queryRules(
  analytics: Analytics,
  rules: readonly RuleDefinition[],
  values: RuleValues,
): Promise<(readonly [string, RuleCell])[]> {
  try {
    const [row] = await analytics.query({ sql: rulesQuery(rules, values), tables: {} });
    return rules.map(({ head }) => {
      const cell = row?.[head.name] ?? null;
      return [head.name, typeof cell === 'boolean' ? cell : null] as const;
    });
  } catch (error) {
    if (!isQueryFault(error)) throw error;
    const [only, second] = rules;
    if (only !== undefined && second === undefined) {
      return [[only.head.name, firstLine(error.message)] as const];
    }
    const alone = [];
    for (const rule of rules) alone.push(...(await queryRules(analytics, [rule], values)));
    return alone;
  }
}

/** What each definition needs, by the engine's own parse; a definition that does not parse needs nothing. */
export async function parseAll(
  analytics: Analytics,
  definitions: readonly (MetricDefinition | RuleDefinition)[],
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

function missingTable(needs: Needs | undefined, sets: EvidenceSets): string | null {
  const tables = needs?.tables ?? [];
  if (tables.includes('labels') && sets.labels === null) return 'there are no oracle labels';
  if (tables.includes('steps') && sets.steps === null) {
    return 'no training run made this policy, so there are no optimizer steps';
  }
  if (tables.includes('t_prev') && sets.previous === null) return 'there is no generation before';
  return null;
}

function missingValues(needs: Needs | undefined, values: RuleValues): string | null {
  const missing = (needs?.columns ?? []).filter((column) => {
    const [set, name] = column.split('.');
    const named = Object.entries(values).find(([key]) => key === set)?.[1];
    return named !== undefined && name !== undefined && (named[name] ?? null) === null;
  });
  return missing.length === 0 ? null : `not measurable: ${missing.join(', ')}`;
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

const isQueryFault = (error: unknown): error is AnalyticsError =>
  error instanceof AnalyticsError && error.failure === 'query';
const firstLine = (text: string): string => text.split('\n')[0] ?? text;
