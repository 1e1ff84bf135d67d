// Checks one query and runs it over its bound tables, within its limits of time, memory and answer size.
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Row } from '../../../activities/ports/analytics.ts';
import { AnalyticsError } from '../../../activities/ports/analytics-error.ts';
import type { BoundTables } from './bound-tables.ts';
import { cellBytes, toRow } from './result-rows.ts';
import { withDeadline } from './engine.ts';
import type { QueryTask } from './protocol.ts';
import type { QueryCheck } from './query-check.ts';

/** An answer is sent to the worker in one message, and the worker holds it twice. */
const ANSWER_BYTES_MAX = 64 * 2 ** 20;

export async function runQuery(
  task: QueryTask,
  { check, bound }: { readonly check: QueryCheck; readonly bound: BoundTables },
): Promise<Row[]> {
  const known = task.tables.map(({ name }) => name);
  for (const { name, sql } of task.views) {
    await check.query(sql, known);
    known.push(name);
  }
  await check.query(task.sql, known);
  return bound.use(task, (connection, views) =>
    withDeadline(connection, task.limits, async () => {
      await views.provide(connection, task.views);
      return read(connection, task);
    }),
  );
}

async function read(connection: DuckDBConnection, { sql, limits }: QueryTask): Promise<Row[]> {
  const { rowsMax } = limits;
  const result = await connection.stream(sql);
  const rows: Row[] = [];
  let sizeBytes = 0;
  for await (const chunk of result.yieldRowObjectJs()) {
    for (const values of chunk) {
      const row = toRow(values);
      sizeBytes += cellBytes(row);
      rows.push(row);
    }
    if (rows.length > rowsMax) {
      throw new AnalyticsError(
        'limit',
        `more than ${rowsMax} rows; aggregate in SQL or add a LIMIT`,
      );
    }
    if (sizeBytes > ANSWER_BYTES_MAX) {
      throw new AnalyticsError(
        'limit',
        `more than ${ANSWER_BYTES_MAX} bytes; aggregate in SQL or name fewer columns`,
      );
    }
  }
  return rows;
}
