// Reads what detectors say of trajectories, one by one, and what rules say of a population before and after.
import { detectQuery, flagDetectors, versionedName } from '../core/harness/detect-query.ts';
import { type Catalog, featuresOf, metricsOf, rulesOf } from '../core/harness/definition.ts';
import type { ArtifactRef } from '../core/schemas/artifact.ts';
import { metricsQuery, rulesQuery, withSets } from '../core/harness/set-query.ts';
import type {
  FeatureDefinition,
  MetricDefinition,
  RuleDefinition,
} from '../core/schemas/harness.ts';
import { numberAt, textAt } from './reading/query-cells.ts';
import { parseAll } from './revising/parse-definitions.ts';
import type { Analytics, Cell, Row } from './ports/analytics.ts';
import { FACT_COLUMNS, parquetOf } from './reading/trajectory-tables.ts';

export interface HackEvidence {
  /** Case of the reward-hack catalogue. */
  readonly flag: string;
  /** name@version */
  readonly detector: string;
  /** Place in the file's messages; null where there are none. */
  readonly message: number | null;
  readonly excerpt: string;
}

export interface HackReading {
  readonly id: string;
  readonly flags: readonly string[];
  readonly evidence: readonly HackEvidence[];
}

const EXCERPT_MAX = 300;

/** A reading a trajectory, in the table's order. Detectors that need what a row lacks do not fire. Nothing is stored. */
export async function detectHacks(
  analytics: Analytics,
  catalog: Catalog,
  table: ArtifactRef,
): Promise<HackReading[]> {
  const tables = { t_rows: parquetOf(table) };
  const listed = await analytics.query({
    sql: 'SELECT trajectory_id, domain FROM t_rows',
    tables,
  });
  const readings = new Map<string, HackReading>();
  for (const domain of new Set(listed.map((row) => textAt(row, 'domain')))) {
    const detectors = flagDetectors(catalog, domain);
    if (detectors.length === 0) continue;
    const rows = await analytics.query({
      sql: detectQuery(detectors, FACT_COLUMNS, domain),
      tables,
    });
    for (const row of rows) readings.set(textAt(row, 'trajectory_id'), readingOf(row, detectors));
  }
  return listed.map((row) => {
    const id = textAt(row, 'trajectory_id');
    return readings.get(id) ?? { id, flags: [], evidence: [] };
  });
}

function readingOf(row: Row, detectors: readonly FeatureDefinition[]): HackReading {
  const evidence = detectors.flatMap((detector): HackEvidence[] => {
    const { flag, name, description } = detector.head;
    const hit = fieldsOf(row[name] ?? null);
    if (hit === null || flag === null) return [];
    const shown = fieldsOf(hit['shown'] ?? null);
    const turn = shown?.['turn'] ?? null;
    const excerpt = shown?.['excerpt'] ?? null;
    return [
      {
        flag,
        detector: versionedName(detector),
        // What the end shows, shows at the message that ends it.
        message: typeof turn === 'number' ? turn : numberAt(row, 'last_turn'),
        excerpt: typeof excerpt === 'string' && excerpt !== '' ? cut(excerpt) : description,
      },
    ];
  });
  return { id: textAt(row, 'trajectory_id'), flags: flagsOf(evidence), evidence };
}

/** A population under the harness of one recipe and, after an intervention, of another. */
export interface PopulationPair {
  readonly id: string;
  readonly before: ArtifactRef;
  readonly after: ArtifactRef;
}

/** Rules with a flag over both sides: `now` is after, `prev` before. Nothing is stored. */
export async function detectPopulationHacks(
  analytics: Analytics,
  catalog: Catalog,
  pairs: readonly PopulationPair[],
): Promise<HackReading[]> {
  const reader = await populationReader(analytics, catalog);
  const readings: HackReading[] = [];
  for (const { id, before, after } of pairs) {
    const prev = await valuesOf(analytics, reader, before);
    const now = await valuesOf(analytics, reader, after);
    const values = { now, prev, prev2: {}, first: prev };
    const [fired] = await analytics.query({ sql: rulesQuery(reader.rules, values), tables: {} });
    const evidence = reader.rules.flatMap((rule): HackEvidence[] => {
      const { name, flag, about } = rule.head;
      if (flag === null || fired?.[name] !== true) return [];
      const moved = about.flatMap((metric) => {
        const [from, to] = [prev[metric] ?? null, now[metric] ?? null];
        return from === null || to === null ? [] : [`${metric} ${short(from)} → ${short(to)}`];
      });
      const detector = versionedName(rule);
      return [{ flag, detector, message: null, excerpt: moved.join(', ') }];
    });
    readings.push({ id, flags: flagsOf(evidence), evidence });
  }
  return readings;
}

interface PopulationReader {
  readonly features: readonly FeatureDefinition[];
  readonly metrics: readonly MetricDefinition[];
  readonly rules: readonly RuleDefinition[];
}

/** The flagged rules, and of metrics and features what they read. */
async function populationReader(analytics: Analytics, catalog: Catalog): Promise<PopulationReader> {
  const all = { definitions: [...catalog.definitions] };
  const rules = rulesOf(all).filter(({ head }) => head.flag !== null);
  const read = new Set(
    [...(await parseAll(analytics, rules)).values()].flatMap(({ columns }) =>
      columns.map((column) => column.split('.').at(-1) ?? column),
    ),
  );
  const metrics = metricsOf(all).filter(
    ({ head }) => read.has(head.name) || rules.some((rule) => rule.head.about.includes(head.name)),
  );
  const needs = await parseAll(analytics, metrics);
  const columns = new Set([...needs.values()].flatMap((need) => need.columns));
  const features = featuresOf(all).filter(({ head }) => columns.has(head.name));
  return { features, metrics, rules };
}

async function valuesOf(
  analytics: Analytics,
  { features, metrics }: PopulationReader,
  table: ArtifactRef,
): Promise<Readonly<Record<string, number | null>>> {
  const asked = metrics.map((metric) => ({ metric, byOutcome: null }));
  const rows = await analytics.query({
    sql: `${withSets(['t'], features, FACT_COLUMNS)}\n${metricsQuery(asked)}`,
    tables: { t_rows: parquetOf(table) },
  });
  return Object.fromEntries(rows.map((row) => [textAt(row, 'metric'), numberAt(row, 'value')]));
}

const flagsOf = (evidence: readonly HackEvidence[]): string[] =>
  [...new Set(evidence.map(({ flag }) => flag))].toSorted(
    (left, right) => Number(left.slice(1)) - Number(right.slice(1)),
  );

const short = (value: number): string => String(Number(value.toPrecision(3)));
const cut = (text: string): string =>
  text.length > EXCERPT_MAX ? `${text.slice(0, EXCERPT_MAX - 1)}…` : text;

const fieldsOf = (cell: Cell): Readonly<Record<string, Cell>> | null =>
  typeof cell === 'object' && cell !== null && !Array.isArray(cell)
    ? Object.fromEntries(Object.entries(cell))
    : null;
