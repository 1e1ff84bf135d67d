// Databases that hold the tables of a query and nothing else: Parquet as views on its verified copies, so that a query
// reads the columns it names and memory does not grow with the set. The last ones stay open for the next query.
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { AnalyticsError } from '../../../activities/ports/analytics-error.ts';
import { createInstance, lockDown, quoteName, quoteText, shorten } from './engine.ts';
import { KEPT_TABLE, type LocalFile, type LocalTable, type QueryTask } from './protocol.ts';

/** A report asks in turns of its sets and of no table at all. */
const OPEN_MAX = 2;

export class BoundTables {
  /** By what is bound and the memory it may take, least recently used first. */
  readonly #open = new Map<string, DuckDBInstance>();

  /** Runs with a connection of its own. A database in which a query failed is not used again. */
  async use<Result>(
    { tables, limits }: Pick<QueryTask, 'tables' | 'limits'>,
    run: (connection: DuckDBConnection) => Promise<Result>,
  ): Promise<Result> {
    const key = JSON.stringify([limits.memoryMb, tables]);
    const instance = this.#open.get(key) ?? (await bind(tables, limits.memoryMb));
    this.#open.delete(key);
    const connection = await instance.connect();
    try {
      const result = await run(connection);
      this.#keep(key, instance);
      return result;
    } catch (error) {
      instance.closeSync();
      throw error;
    } finally {
      connection.closeSync();
    }
  }

  #keep(key: string, instance: DuckDBInstance): void {
    this.#open.set(key, instance);
    for (const [oldest, unused] of this.#open) {
      if (this.#open.size <= OPEN_MAX) return;
      this.#open.delete(oldest);
      unused.closeSync();
    }
  }
}

async function bind(tables: readonly LocalTable[], memoryMb: number): Promise<DuckDBInstance> {
  const instance = await createInstance();
  try {
    const connection = await instance.connect();
    const attached = await attachKept(connection, tables);
    for (const table of tables) await bindTable(connection, table, attached);
    const parquet = tables.filter(({ format }) => format === 'parquet');
    const paths = parquet.flatMap(({ files }) => files.map(({ path }) => path));
    await lockDown(connection, paths, memoryMb);
    connection.closeSync();
    return instance;
  } catch (error) {
    instance.closeSync();
    throw error;
  }
}

/** Names of the databases of kept columns, by path. They are read only, and open before files are locked away. */
async function attachKept(
  connection: DuckDBConnection,
  tables: readonly LocalTable[],
): Promise<ReadonlyMap<string, string>> {
  const kept = tables.flatMap(({ files }) => files.flatMap((file) => file.kept));
  const attached = new Map<string, string>();
  for (const { path } of kept) {
    if (attached.has(path)) continue;
    const name = `kept_${attached.size}`;
    try {
      await connection.run(`ATTACH ${quoteText(path)} AS ${name} (READ_ONLY)`);
    } catch (cause) {
      throw new AnalyticsError('damaged', `kept columns cannot be read: ${String(cause)}`, {
        cause,
      });
    }
    attached.set(path, name);
  }
  return attached;
}

async function bindTable(
  connection: DuckDBConnection,
  table: LocalTable,
  attached: ReadonlyMap<string, string>,
): Promise<void> {
  const bindFile = table.format === 'parquet' ? bindView : loadLines;
  const parts: string[] = [];
  for (const [index, file] of table.files.entries()) {
    try {
      parts.push(await bindFile(connection, `${table.name}:${index}`, file, attached));
    } catch (cause) {
      if (cause instanceof AnalyticsError) throw cause;
      throw new AnalyticsError(
        'damaged',
        `object ${file.sha256} is no readable ${table.format} for table ${table.name}: ${shorten(String(cause))}`,
        { cause },
      );
    }
  }
  const all = parts.map((part) => `FROM ${quoteName(part)}`).join(' UNION ALL BY NAME ');
  await connection.run(`CREATE VIEW ${quoteName(table.name)} AS ${all}`);
}

/** The rows of a file, and beside each what is kept of it: both are in the order of the file. */
async function bindView(
  connection: DuckDBConnection,
  name: string,
  { path, kept }: LocalFile,
  attached: ReadonlyMap<string, string>,
): Promise<string> {
  const rows = `read_parquet(${quoteText(path)})`;
  const described = await connection.runAndReadAll(`DESCRIBE FROM ${rows}`);
  const taken = new Set(described.getRows().map(([column]) => column));
  const shadowing = kept.find((column) => taken.has(column.name));
  if (shadowing !== undefined) {
    const message = `feature ${shadowing.name} has the name of a column; give it another`;
    throw new AnalyticsError('query', message);
  }
  const used = [...new Set(kept.map((column) => column.path))].map((used) => attached.get(used));
  const joins = used.map((kept) => ` POSITIONAL JOIN ${kept}.${KEPT_TABLE} AS ${kept}`);
  const columns = kept.map(
    (one) => `, ${attached.get(one.path)}.${quoteName(one.column)} AS ${quoteName(one.name)}`,
  );
  await connection.run(
    `CREATE VIEW ${quoteName(name)} AS SELECT r.*${columns.join('')} ` +
      `FROM ${rows} AS r${joins.join('')}`,
  );
  return name;
}

/** Lines are few, and have no columns before all of them are read. */
async function loadLines(
  connection: DuckDBConnection,
  name: string,
  { path }: LocalFile,
): Promise<string> {
  await connection.run(
    `CREATE TABLE ${quoteName(name)} AS ` +
      `FROM read_json_auto(${quoteText(path)}, format = 'newline_delimited')`,
  );
  return name;
}
