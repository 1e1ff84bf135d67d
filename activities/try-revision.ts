// Measures an offered detector on labelled trajectories. Its expression is untrusted: parsed, bound to facts, limited.
import { decideAdmission } from '../core/harness/admission.ts';
import { needsOf } from '../core/harness/definition.ts';
import { parseQuery, withSets } from '../core/harness/set-query.ts';
import { canonicalJson } from '../core/canonical-json.ts';
import type { ArtifactRef } from '../core/schemas/artifact.ts';
import {
  type FeatureDefinition,
  featureHeadSchema,
  type Harness,
} from '../core/schemas/harness.ts';
import { sha256Hex } from './digest.ts';
import { numberAt, textAt } from './cells.ts';
import { AnalyticsError } from './ports/analytics-error.ts';
import type { Analytics } from './ports/analytics.ts';
import { FACT_COLUMNS, parquetOf } from './sets.ts';

export const UNTRUSTED = { memoryMb: 512, timeoutMs: 20_000, rowsMax: 1000 } as const;

export interface LabelledSet {
  readonly diag: ArtifactRef;
  readonly labels: ArtifactRef;
}

type Tried = { readonly definition: FeatureDefinition } | { readonly why: string };

/** The detector with the status it earned, or why it may not come in. It never comes in as blocking. */
export async function tryRevision(
  analytics: Analytics,
  offered: FeatureDefinition,
  harness: Harness,
  sets: readonly LabelledSet[],
): Promise<Tried> {
  const parsed = featureHeadSchema.safeParse(offered.head);
  if (!parsed.success) return { why: parsed.error.issues[0]?.message ?? 'the head does not parse' };
  const { name, type, class: failureClass } = parsed.data;
  if (harness.definitions.some(({ kind, head }) => kind === 'feature' && head.name === name)) {
    return { why: `the harness has a feature ${name} already` };
  }
  if (type !== 'boolean' || failureClass === null)
    return { why: 'a detector is boolean, with a class' };
  if (sets.length === 0) return { why: 'there are no labelled trajectories to measure it on' };
  const refused = await refuseExpression(analytics, offered.sql);
  if (refused !== null) return { why: refused };
  try {
    const admission = decideAdmission(await measure(analytics, offered, sets));
    if (admission.decision === 'refused') return { why: admission.why };
    const head = { ...parsed.data, status: admission.decision };
    const { kind, sql } = offered;
    const sha256 = sha256Hex(canonicalJson({ kind, head, sql }));
    return { definition: { kind, head, sql, sha256 } };
  } catch (error) {
    if (error instanceof AnalyticsError && error.failure !== 'damaged')
      return { why: error.message };
    throw error;
  }
}

/** An expression over facts reads no table; every other binding is refused by the view it is bound to. */
export async function refuseExpression(analytics: Analytics, sql: string): Promise<string | null> {
  const query = parseQuery([`SELECT (${sql}\n)`]);
  const [row] = await analytics.query({ sql: query, tables: {}, limits: UNTRUSTED });
  try {
    const needs = needsOf(JSON.parse(textAt(row, 'p0')));
    if (!needs.hasSubquery && needs.tables.length === 0) return null;
    return 'an expression over one trajectory reads no table and holds no SELECT';
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}

/** On the half of the tasks that mining does not read, chosen by hash. */
async function measure(
  analytics: Analytics,
  offered: FeatureDefinition,
  sets: readonly LabelledSet[],
) {
  const [row] = await analytics.query({
    sql: `${withSets(['t'], [offered], FACT_COLUMNS)}
SELECT
  count(*) FILTER (invalid_success) AS cases,
  count(*) FILTER (invalid_success AND hit) AS caught,
  count(*) FILTER (honest_success) AS honest,
  count(*) FILTER (honest_success AND hit) AS false_alarms
FROM (
  SELECT invalid_success, honest_success, coalesce("${offered.head.name}", FALSE) AS hit
  FROM t
  JOIN (SELECT DISTINCT trajectory_id, invalid_success, honest_success FROM labels)
    USING (trajectory_id)
  WHERE ascii(md5(task_id)) % 2 = 1
)`,
    tables: {
      t_rows: parquetOf(...sets.map(({ diag }) => diag)),
      labels: parquetOf(...sets.map(({ labels }) => labels)),
    },
    limits: UNTRUSTED,
  });
  const number = (name: string): number => numberAt(row, name) ?? 0;
  return {
    cases: number('cases'),
    caught: number('caught'),
    honest: number('honest'),
    falseAlarms: number('false_alarms'),
    missedPastCases: 0,
  };
}
