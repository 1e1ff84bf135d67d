// Reads a set of trajectories with a harness: every metric, then every rule over the metrics' values.
import { findBottleneck, findingOf, type RuleAnswer } from '../../core/harness/bottleneck.ts';
import { type Needs, rulesOf } from '../../core/harness/definition.ts';
import { campaignValues, campaignWords, valuesByName } from '../../core/harness/health.ts';
import { rulesQuery, type RuleValues } from '../../core/harness/set-query.ts';
import type { Harness, HealthReport, RuleDefinition } from '../../core/schemas/harness.ts';
import { firstLine, isQueryFault, parseAll } from '../revising/parse-definitions.ts';
import type { Analytics } from '../ports/analytics.ts';
import { readMetrics } from './read-metrics.ts';
import type { TrajectorySets } from './trajectory-tables.ts';

export interface HealthInput {
  readonly harness: Harness;
  readonly generation: number;
  readonly sets: TrajectorySets;
  /** Reports of earlier generations, oldest first. */
  readonly previous: readonly HealthReport[];
  /** Categories that the incumbent has lost and not won back. */
  readonly lostCategories: readonly string[];
}

export async function readHealth(analytics: Analytics, input: HealthInput): Promise<HealthReport> {
  const { harness, generation, sets, previous, lostCategories } = input;
  const { values, trajectories, outcome } = await readMetrics(analytics, harness, sets);
  const answers = await readRules(analytics, harness, {
    now: { ...valuesByName({ values }), ...campaignValues(lostCategories) },
    prev: namedValues(previous.at(-1)),
    prev2: namedValues(previous.at(-2)),
    first: namedValues(previous[0]),
  });
  const words = campaignWords(lostCategories);
  const findings = rulesOf(harness).map((rule) => {
    const answer = answers.get(rule.head.name) ?? { fired: null, why: 'no answer' };
    return findingOf(rule, answer, values, words);
  });
  return {
    version: 1,
    generation,
    domain: harness.domain.name,
    trajectories,
    outcome,
    values,
    findings,
    ...findBottleneck(findings, harness.domain.order),
  };
}

const namedValues = (report: HealthReport | undefined): Readonly<Record<string, number | null>> =>
  report === undefined ? {} : valuesByName(report);

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

function missingValues(needs: Needs | undefined, values: RuleValues): string | null {
  const missing = (needs?.columns ?? []).filter((column) => {
    const [set, name] = column.split('.');
    const named = Object.entries(values).find(([key]) => key === set)?.[1];
    return named !== undefined && name !== undefined && (named[name] ?? null) === null;
  });
  return missing.length === 0 ? null : `not measurable: ${missing.join(', ')}`;
}
