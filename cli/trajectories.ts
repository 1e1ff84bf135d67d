import type { Row, TableSource } from '../activities/ports/analytics.ts';
import { archiveArgs, openArchive, readLedgerOf } from './archive.ts';
import { evoCommand } from './define-command.ts';
import { CommandError, EXIT, type ExitCode, usageError } from './exit.ts';
import { table } from './terminal/table.ts';
import { styleFor } from './terminal/style.ts';
import { trajectoryLines } from './terminal/trajectory.ts';
import { isFileOfTrajectories, openFile, type OpenSets } from './trajectory-file.ts';
import { type TrajectorySet, trajectorySets } from './trajectory-sets.ts';
import { say } from './terminal/printable.ts';

export const command = evoCommand({
  name: 'trajectories',
  description:
    'Query archived or imported trajectories by SQL, show one readably, or list the sets there are.',
  args: {
    ...archiveArgs,
    sql: {
      type: 'string',
      description: 'one SELECT; tables t (all trajectories), labels, and each set by its name',
    },
    show: { type: 'string', description: 'id of a trajectory (its beginning is enough)' },
    set: { type: 'string', description: 'only this set, as in g1_b2_diag' },
    json: { type: 'boolean', description: 'print one JSON object a row' },
  },
  async run(args) {
    const opened = (await isFileOfTrajectories(args.campaign))
      ? await openFile(args.campaign)
      : await openCampaign(args);
    const { sets: all } = opened;
    try {
      const sets = args.set === undefined ? all : all.filter(({ name }) => name === args.set);
      if (sets.length === 0) throw usageError(noSet(args.campaign, args.set, all));
      if (args.sql !== undefined) return await query(opened, sets, args.sql, args.json === true);
      if (args.show !== undefined) return await show(opened, sets, args.show, args.json === true);
      return await list(opened, sets, args.json === true);
    } finally {
      await opened.close();
    }
  },
});

async function openCampaign(asked: Parameters<typeof openArchive>[0]): Promise<OpenSets> {
  const archive = await openArchive(asked);
  const { campaign: name, analytics } = archive;
  const close = () => archive.close();
  try {
    return {
      name,
      isFile: false,
      analytics,
      close,
      sets: trajectorySets(await readLedgerOf(archive)),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const noSet = (campaign: string, set: string | undefined, all: readonly TrajectorySet[]): string =>
  all.length === 0
    ? `campaign ${campaign} has archived no trajectories yet`
    : `there is no set ${set}; there are ${all.map(({ name }) => name).join(', ')}`;

/** `t` and `labels` over all given sets, and every set by its own name. */
function tables(sets: readonly TrajectorySet[]): Record<string, TableSource> {
  const source = (chosen: readonly TrajectorySet[]): TableSource => ({
    refs: chosen.map(({ ref, tree }) => ({ ref, tree })),
    format: 'parquet',
  });
  const labels = sets.filter(({ kind }) => kind === 'labels');
  const rows = sets.filter(({ kind }) => kind !== 'labels');
  return {
    ...Object.fromEntries(sets.map((set) => [set.name, source([set])])),
    ...(rows.length > 0 ? { t: source(rows) } : {}),
    ...(labels.length > 0 ? { labels: source(labels) } : {}),
  };
}

async function ask(opened: OpenSets, sets: readonly TrajectorySet[], sql: string): Promise<Row[]> {
  try {
    return await opened.analytics.query({ sql, tables: tables(sets) });
  } catch (error) {
    throw new CommandError(EXIT.failed, error instanceof Error ? error.message : String(error));
  }
}

async function query(
  opened: OpenSets,
  sets: readonly TrajectorySet[],
  sql: string,
  json: boolean,
): Promise<ExitCode> {
  const rows = await ask(opened, sets, sql);
  if (json) for (const row of rows) console.log(JSON.stringify(row));
  else printRows(rows);
  return EXIT.ok;
}

function printRows(rows: readonly Row[]): void {
  const heads = Object.keys(rows[0] ?? {});
  const cell = (value: Row[string] | undefined): string => {
    if (value === null || value === undefined) return 'NULL';
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return text.length > 80 ? `${text.slice(0, 79)}…` : text;
  };
  const cells = rows.map((row) => heads.map((head) => cell(row[head])));
  for (const line of table(heads, cells)) say(line);
  say(styleFor(process.stdout).dim(`${rows.length} ${rows.length === 1 ? 'row' : 'rows'}`));
}

async function show(
  opened: OpenSets,
  sets: readonly TrajectorySet[],
  id: string,
  json: boolean,
): Promise<ExitCode> {
  const named = `starts_with(trajectory_id, '${id.replaceAll("'", "''")}')`;
  const sql = `SELECT * FROM t WHERE ${named} ORDER BY trajectory_id LIMIT 1`;
  const [row] = await ask(opened, sets, sql);
  if (!row) throw new CommandError(EXIT.failed, `no trajectory begins with ${id}`);
  const judged = sets.some(({ kind }) => kind === 'labels')
    ? await ask(opened, sets, `SELECT * FROM labels WHERE ${named} ORDER BY trajectory_id LIMIT 1`)
    : [];
  const label = judged[0] ?? null;
  if (json) console.log(JSON.stringify({ trajectory: row, label }));
  else for (const line of trajectoryLines(row, label, styleFor(process.stdout))) say(line);
  return EXIT.ok;
}

async function list(
  opened: OpenSets,
  sets: readonly TrajectorySet[],
  json: boolean,
): Promise<ExitCode> {
  const counts = await ask(
    opened,
    sets,
    sets
      .map(({ name }) => `SELECT '${name}' AS name, count(*)::INTEGER AS n FROM ${name}`)
      .join(' UNION ALL '),
  );
  const countOf = new Map(counts.map((row) => [row['name'], Number(row['n'])]));
  const found = sets.map(({ name, generation, branch, kind, ref }) => ({
    set: name,
    generation,
    branch,
    kind,
    rows: countOf.get(name) ?? 0,
    sha256: ref.sha256,
  }));
  if (json) for (const one of found) console.log(JSON.stringify(one));
  else {
    const { name, isFile } = opened;
    const heads = ['set', ...(isFile ? [] : ['generation', 'of']), 'kind', 'rows', 'object'];
    const rows = found.map(({ set, generation, branch, kind, rows: n, sha256 }) => [
      set,
      ...(isFile ? [] : [String(generation), branch ?? 'incumbent']),
      kind,
      String(n),
      sha256.slice(0, 12),
    ]);
    for (const line of table(heads, rows)) say(line);
    const example = isFile
      ? 'SELECT trajectory_id, turn_count, reward FROM t ORDER BY reward DESC LIMIT 10'
      : 'SELECT level, avg(hidden.score) AS score FROM t GROUP BY level ORDER BY level';
    say(`\nevo trajectories ${name} --sql "${example}"`);
    say(`evo trajectories ${name} --show ID`);
  }
  return EXIT.ok;
}
