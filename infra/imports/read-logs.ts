// What a user gives as files, of whatever trainer, as sets of our tables: rows in windows of optimizer steps, and with
// them labels and step metrics where there are any.
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { firstLineOf } from '../../core/message-of.ts';
import type { Store } from '../../activities/ports/store.ts';
import type { ArtifactRef } from '../../core/schemas/artifact.ts';
import { trajectorySchema } from '../../core/schemas/trajectory.ts';
import { importFiles } from './import-file.ts';
import { describeProblem } from './problem.ts';
import { findLogs, type FoundLogs, IF_CUT_OFF, LogError } from './find-logs.ts';
import { rowsQuery } from './log-rows.ts';
import { trlNotes, trlRows } from './trl.ts';
import { VERL_NOTES, verlRows } from './verl.ts';
import { quoteText } from '../../core/quoted-sql.ts';

/** A stretch of optimizer steps; a file without steps is one window. */
export interface LogWindow {
  /** Null where rows name no step, or the same. */
  readonly steps: readonly [first: number, last: number] | null;
  readonly rows: ArtifactRef;
}

export interface ReadLogs {
  readonly format: FoundLogs['format'];
  /** Oldest first, at least one. */
  readonly windows: readonly LogWindow[];
  readonly labels: ArtifactRef | null;
  readonly optimizerMetrics: ArtifactRef | null;
  /** Of the rows, without null. */
  readonly domains: readonly string[];
  /** What the reader must know: what was taken for what, which lines were left out. */
  readonly notes: readonly string[];
}

const MEMORY = '2GB';
/** Rules compare now, the window before, the one before that, and the first. */
const WINDOWS_MAX = 4;
/** A window of one step would be a sample of few tasks. */
const STEPS_MIN = 2;

/** Puts what it reads into `store`, by way of `folder`. Throws LogError for files that are none of the formats. */
export async function readLogs(
  paths: readonly string[],
  store: Store,
  folder: string,
): Promise<ReadLogs> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1', memory_limit: MEMORY });
  try {
    const connection = await instance.connect();
    const found = await findLogs(connection, paths);
    const source = await sourceOf(found, folder);
    const table = await loadRows(connection, source.query);
    const windows: LogWindow[] = [];
    for (const { steps, condition } of await planWindows(connection)) {
      const target = join(folder, `window-${windows.length}.parquet`);
      await connection.run(
        `COPY (SELECT * FROM rows WHERE ${condition}) TO ${quoteText(target)} (FORMAT parquet, COMPRESSION zstd)`,
      );
      windows.push({ steps, rows: await store.putFile(target) });
    }
    return {
      format: found.format,
      windows,
      labels: source.labels === null ? null : await store.putFile(source.labels),
      optimizerMetrics: await storeOptimizerMetrics(store, found),
      domains: table.domains,
      notes: source.notes,
    };
  } catch (cause) {
    if (!isOutOfMemory(cause)) throw cause;
    const files = paths.join(', ');
    throw new LogError(
      `${files}: more rows than ${MEMORY} of memory hold; read fewer files at once`,
      {
        cause,
      },
    );
  } finally {
    instance.closeSync();
  }
}

const isOutOfMemory = (cause: unknown): boolean => firstLineOf(cause).startsWith('Out of Memory');

interface Source {
  readonly query: string;
  readonly labels: string | null;
  readonly notes: readonly string[];
}

async function sourceOf(found: FoundLogs, folder: string): Promise<Source> {
  const { format, rows, columns, labels } = found;
  switch (format) {
    case 'trl': {
      const { rewards } = found;
      const query = rowsQuery(trlRows(rows, columns, rewards));
      return { query, labels, notes: trlNotes(rewards) };
    }
    case 'verl':
      return { query: rowsQuery(verlRows(rows, columns)), labels, notes: VERL_NOTES };
    case 'trajectories':
      return { query: `SELECT * FROM ${parquet(rows, columns)}`, labels, notes: [] };
    case 'messages': {
      const table = join(folder, 'rows.parquet');
      const imported = await importFiles(rows, table, join(folder, 'labels.parquet'));
      if (imported.count === 0) {
        const [first] = imported.problems;
        throw new LogError(first ? describeProblem(first) : `${rows.join(', ')}: no trajectory`);
      }
      const notes = imported.problems.map(describeProblem);
      if (imported.refused > 0) notes.unshift(`${imported.refused} lines were left out`);
      const query = `SELECT * FROM read_parquet(${quoteText(table)})`;
      return { query, labels: imported.labelsPath ?? labels, notes };
    }
  }
}

function parquet(files: readonly string[], columns: ReadonlyMap<string, string>): string {
  const missing = Object.keys(trajectorySchema.shape).filter((name) => !columns.has(name));
  if (missing.length > 0) {
    throw new LogError(
      `${files[0]}: trajectories of another version, without ${missing.join(', ')}; write them again with this version`,
    );
  }
  return `read_parquet([${files.map(quoteText).join(', ')}], union_by_name = true)`;
}

async function loadRows(
  connection: DuckDBConnection,
  query: string,
): Promise<{ readonly domains: string[] }> {
  try {
    await connection.run(`CREATE TEMP TABLE rows AS ${query}`);
  } catch (cause) {
    if (isOutOfMemory(cause)) throw cause;
    throw new LogError(`the rows cannot be read: ${firstLineOf(cause)}; ${IF_CUT_OFF}`, {
      cause,
    });
  }
  const names = await column(connection, 'SELECT DISTINCT domain AS v FROM rows ORDER BY v');
  return { domains: names.filter((name) => typeof name === 'string') };
}

async function planWindows(
  connection: DuckDBConnection,
): Promise<{ readonly steps: LogWindow['steps']; readonly condition: string }[]> {
  const known = await column(
    connection,
    'SELECT DISTINCT step AS v FROM rows WHERE step IS NOT NULL ORDER BY v',
  );
  const steps = known.map(Number);
  const count = Math.min(WINDOWS_MAX, Math.floor(steps.length / STEPS_MIN));
  if (count < 2) return [{ steps: null, condition: 'TRUE' }];
  return Array.from({ length: count }, (_, window) => {
    const part = steps.slice(
      Math.floor((window * steps.length) / count),
      Math.floor(((window + 1) * steps.length) / count),
    );
    const [first = 0, last = 0] = [part[0], part.at(-1)];
    return { steps: [first, last], condition: `step BETWEEN ${first} AND ${last}` };
  });
}

async function column(connection: DuckDBConnection, sql: string): Promise<unknown[]> {
  const reader = await connection.runAndReadAll(sql);
  return reader.getRowObjectsJS().map((row) => row['v']);
}

async function storeOptimizerMetrics(
  store: Store,
  { steps }: FoundLogs,
): Promise<ArtifactRef | null> {
  if (steps === null) return null;
  const lines = steps.map((step) => `${JSON.stringify(step)}\n`).join('');
  return store.putBytes(new TextEncoder().encode(lines));
}
