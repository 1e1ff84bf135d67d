// An analyzer that looks closer: one metric taken over parts of its set, kept only where the parts differ.
import type { MetricDefinition, MetricValue } from '../schemas/harness.ts';
import { textLiteral } from './mining/predicate.ts';

/** Outcome groups are no split: every report takes its metrics by outcome already. */
export const SPLITS = ['category', 'level'] as const;
export type Split = (typeof SPLITS)[number];

/** More parts than this are a table and no finding. */
export const PARTS_MAX = 6;
const NAME_MAX = 63;

/** The metric over one part of `t`. Its alert levels were set for the whole set, so a part has none. */
export function metricOfPart(
  { head, sql }: Pick<MetricDefinition, 'head' | 'sql'>,
  split: Split,
  value: string,
  generation: number,
): { readonly kind: 'metric'; readonly head: object; readonly sql: string } {
  const part = value.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_');
  return {
    kind: 'metric',
    head: {
      ...head,
      name: `${head.name}_${split}_${part}`.slice(0, NAME_MAX),
      description: `${head.description} Over ${split} ${value}.`,
      id: null,
      warn: null,
      critical: null,
      source: `analyzer specialization of ${head.name} in generation ${generation}; ${head.source}`,
    },
    sql: `WITH t AS (SELECT * FROM t WHERE ${split}::VARCHAR = ${textLiteral(value)})\nSELECT * FROM (\n${sql}\n)`,
  };
}

/** Whether two parts cannot have one value: their 95 % intervals lie apart. Says which. */
export function partsApart(values: readonly MetricValue[]): string | null {
  const known = values.filter(({ low, high }) => low !== null && high !== null);
  const [lowest] = known.toSorted((a, b) => (a.high ?? 0) - (b.high ?? 0));
  const [highest] = known.toSorted((a, b) => (b.low ?? 0) - (a.low ?? 0));
  if (lowest === undefined || highest === undefined) return null;
  if ((lowest.high ?? 0) >= (highest.low ?? 0)) return null;
  return `${highest.name} is at least ${highest.low?.toFixed(3)}, ${lowest.name} at most ${lowest.high?.toFixed(3)}`;
}
