// Queries that measure features of a model's own on archived trajectories. Expressions see the facts alone.
import { textLiteral } from '../harness/mining/predicate.ts';

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const factsOf = (facts: readonly string[], rowsMax: number): string =>
  `SELECT ${facts.map(quote).join(', ')} FROM t ORDER BY trajectory_id LIMIT ${rowsMax}`;

/** One row: rows, and the values of the expression that are NULL, not finite, lowest and highest. */
export const measureQuery = (sql: string, facts: readonly string[], rowsMax: number): string =>
  `SELECT count(*)::INTEGER AS rows, (count(*) - count(v))::INTEGER AS nulls,
    count(*) FILTER (NOT isfinite(v))::INTEGER AS infinite,
    min(v) FILTER (isfinite(v)) AS low, max(v) FILTER (isfinite(v)) AS high
  FROM (SELECT (${sql}\n)::DOUBLE AS v FROM (${factsOf(facts, rowsMax)}))`;

/** The values of each expression as v0, v1, …, in the order of the ids. */
export function valuesOfQuery(
  expressions: readonly string[],
  facts: readonly string[],
  rowsMax: number,
): string {
  const columns = expressions.map((sql, index) => `(${sql}\n)::DOUBLE AS v${index}`);
  return `SELECT ${columns.join(', ')} FROM (${factsOf(facts, rowsMax)})`;
}

/** One row with the share of tasks in whose prompt each literal stands, as s0, s1, …. */
export function recognitionQuery(literals: readonly string[]): string {
  const shares = literals.map((literal, index) => {
    const text = textLiteral(literal);
    return `avg((contains(prompt, ${text}) OR prompt LIKE ${text})::INTEGER) AS s${index}`;
  });
  return `SELECT ${shares.join(', ')} FROM (SELECT any_value(prompt) AS prompt FROM t GROUP BY task_id)`;
}
