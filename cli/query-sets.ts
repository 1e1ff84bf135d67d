// Runs a SELECT over trajectory sets: `t` and `labels` over all given sets, and each set under its own name.
import { messageOf } from '../core/message-of.ts';
import type { QueryRequest, Row, TableSource } from '../activities/ports/analytics.ts';
import { CommandError, EXIT } from './exit.ts';
import type { OpenSets } from './trajectory-file.ts';
import type { TrajectorySet } from './trajectory-sets.ts';

/** A faulty query ends the command with the engine's message. */
export async function askSets(
  opened: Pick<OpenSets, 'analytics'>,
  sets: readonly TrajectorySet[],
  sql: string,
  more: Pick<QueryRequest, 'limits' | 'signal'> = {},
): Promise<Row[]> {
  const tables = tablesOfSets(sets);
  const words = new Set(sql.toLowerCase().match(/\w+/g));
  const named = Object.entries(tables).filter(([name]) => words.has(name.toLowerCase()));
  try {
    // Each table takes its time to open.
    return await opened.analytics.query({ sql, tables: Object.fromEntries(named), ...more });
  } catch {
    return askAll(opened, tables, { sql, ...more });
  }
}

/** The engine's message then lists every table. */
async function askAll(
  { analytics }: Pick<OpenSets, 'analytics'>,
  tables: Readonly<Record<string, TableSource>>,
  asked: Pick<QueryRequest, 'sql' | 'limits' | 'signal'>,
): Promise<Row[]> {
  try {
    return await analytics.query({ ...asked, tables });
  } catch (error) {
    throw new CommandError(EXIT.failed, messageOf(error));
  }
}

export const isLabels = ({ kind }: TrajectorySet): boolean => kind === 'labels';

function tablesOfSets(sets: readonly TrajectorySet[]): Record<string, TableSource> {
  const source = (chosen: readonly TrajectorySet[]): TableSource => ({
    refs: chosen.map(({ ref, tree }) => ({ ref, tree })),
    format: 'parquet',
  });
  const labels = sets.filter(isLabels);
  const rows = sets.filter((set) => !isLabels(set));
  return {
    ...Object.fromEntries(sets.map((set) => [set.name, source([set])])),
    ...(rows.length > 0 ? { t: source(rows) } : {}),
    ...(labels.length > 0 ? { labels: source(labels) } : {}),
  };
}
