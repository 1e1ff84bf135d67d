// One query in a database of its own: tables are loaded first, then everything outside is locked away, then the
// query runs under its limits.
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { Row } from '../../../activities/ports/analytics.ts';
import { AnalyticsError } from '../../../activities/ports/analytics-error.ts';
import { toRow } from './cells.ts';
import type { ChildRequest, LocalTable, QueryLimits } from './protocol.ts';

export async function runQuery({ sql, tables, limits }: ChildRequest): Promise<Row[]> {
  // One thread: with two, sums of floating-point numbers differ from run to run.
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  try {
    const connection = await instance.connect();
    await requireSingleSelect(connection, sql);
    for (const table of tables) await load(connection, table);
    await lockDown(connection, limits);
    return await withDeadline(connection, limits, () => read(connection, sql, limits));
  } finally {
    instance.closeSync();
  }
}

/** DuckDB's own parser decides what one SELECT is: it serialises nothing else. */
async function requireSingleSelect(connection: DuckDBConnection, sql: string): Promise<void> {
  const parsed = await connection.runAndReadAll(`SELECT json_serialize_sql(${quoteText(sql)})`);
  const answer: unknown = JSON.parse(String(parsed.getRows()[0]?.[0]));
  const fields = new Map(Object.entries(Object(answer)));
  if (fields.get('error') !== false) {
    const message = String(fields.get('error_message'));
    throw new AnalyticsError('query', `not one SELECT: ${message} [${shorten(sql)}]`);
  }
  const statements = fields.get('statements');
  if (!Array.isArray(statements) || statements.length !== 1) {
    throw new AnalyticsError('query', `give one SELECT, not several [${shorten(sql)}]`);
  }
}

async function load(connection: DuckDBConnection, table: LocalTable): Promise<void> {
  const reader = table.format === 'parquet' ? 'read_parquet' : 'read_json_auto';
  const more = table.format === 'parquet' ? '' : ", format = 'newline_delimited'";
  for (const [index, { path, sha256 }] of table.files.entries()) {
    const source = `${reader}(${quoteText(path)}${more})`;
    const target = quoteName(table.name);
    const statement =
      index === 0
        ? `CREATE TABLE ${target} AS FROM ${source}`
        : `INSERT INTO ${target} BY NAME FROM ${source}`;
    try {
      await connection.run(statement);
    } catch (cause) {
      throw new AnalyticsError(
        'damaged',
        `object ${sha256} is no readable ${table.format} for table ${table.name}: ${shorten(String(cause))}`,
        { cause },
      );
    }
  }
}

async function lockDown(connection: DuckDBConnection, { memoryMb }: QueryLimits): Promise<void> {
  await connection.run(`SET memory_limit = '${memoryMb}MB'`);
  await connection.run("SET temp_directory = ''");
  await connection.run('SET enable_external_access = false');
  await connection.run('SET lock_configuration = true');
}

async function read(
  connection: DuckDBConnection,
  sql: string,
  { rowsMax }: QueryLimits,
): Promise<Row[]> {
  const reader = await connection.streamAndReadUntil(sql, rowsMax + 1);
  const rows = reader.getRowObjectsJS();
  if (rows.length > rowsMax) {
    throw new AnalyticsError('limit', `more than ${rowsMax} rows; aggregate in SQL or add a LIMIT`);
  }
  return rows.map(toRow);
}

async function withDeadline<Result>(
  connection: DuckDBConnection,
  { timeoutMs }: QueryLimits,
  run: () => Promise<Result>,
): Promise<Result> {
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    connection.interrupt();
  }, timeoutMs);
  try {
    return await run();
  } catch (cause) {
    if (late) throw new AnalyticsError('limit', `no answer within ${timeoutMs} ms`, { cause });
    if (cause instanceof AnalyticsError) throw cause;
    const message = cause instanceof Error ? cause.message : String(cause);
    const failure = message.startsWith('Out of Memory') ? 'limit' : 'query';
    throw new AnalyticsError(failure, message, { cause });
  } finally {
    clearTimeout(timer);
  }
}

const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const shorten = (text: string): string => (text.length > 300 ? `${text.slice(0, 300)}…` : text);
