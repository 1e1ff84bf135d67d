// Finds the format of a user's files by their columns, never by their names.
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { firstLineOf } from '../../core/message-of.ts';
import { jsonOf } from '../../core/json-of.ts';
import { UserFault } from '../../core/user-fault.ts';
import { refuseUnlessFile, statInput } from './places.ts';
import { readLines } from './read-lines.ts';
import {
  type Columns,
  isJsonObject,
  isTrl,
  type StepNumbers,
  type TrlReward,
  trlState,
} from './trl.ts';
import { isVerl, verlStep } from './verl.ts';
import { quoteText } from '../../core/quoted-sql.ts';

/** Files that cannot be read as logs; the message has the file, the reason and the cure. */
export class LogError extends UserFault {}

const ROWS = ['trajectories', 'messages', 'trl', 'verl'] as const;
export type LogFormat = (typeof ROWS)[number];

export interface FoundLogs {
  readonly format: LogFormat;
  readonly rows: readonly string[];
  /** Of the rows' files together; empty for `messages`. */
  readonly columns: Columns;
  readonly labels: string | null;
  /** Reward functions, where trainer_state.json lists them. */
  readonly rewards: readonly TrlReward[] | null;
  /** Optimizer steps of the run, in our words. */
  readonly steps: readonly StepNumbers[] | null;
}

const FORMATS =
  'there are trajectories of evo (Parquet), agent trajectories (docs/importing.md), the completions folder of TRL, and rollouts dumped by verl (JSON lines)';

export async function findLogs(
  connection: DuckDBConnection,
  paths: readonly string[],
): Promise<FoundLogs> {
  const files: { readonly path: string; readonly kind: Kind }[] = [];
  for (const path of await expand(paths)) {
    files.push({ path, kind: await kindOf(connection, path) });
  }
  const of = (kind: Kind): string[] =>
    files.flatMap((file) => (file.kind === kind ? file.path : []));
  const formats = ROWS.filter((format) => of(format).length > 0);
  const [format, second] = formats;
  if (format === undefined)
    throw new LogError(`${paths.join(', ')}: no file with rows; ${FORMATS}`);
  if (second !== undefined) {
    throw new LogError(
      `${of(format)[0]} is ${format} and ${of(second)[0]} is ${second}; give files of one kind`,
    );
  }
  const [stray] = of('unknown');
  if (stray !== undefined && paths.includes(stray)) {
    throw new LogError(`${stray} is none of the formats; ${FORMATS}`);
  }
  const rows = of(format);
  const state = await onlyState(of('trl-state'));
  return {
    format,
    rows,
    columns: format === 'messages' ? new Map() : await columnsOf(connection, rows),
    labels: of('labels')[0] ?? null,
    rewards: state?.rewards ?? null,
    steps: state?.steps ?? (await readSteps([...of('steps'), ...of('verl-steps')])),
  };
}

type Kind = LogFormat | 'labels' | 'steps' | 'verl-steps' | 'trl-state' | 'unknown';

/**
 * Files as given; of a folder those that could be logs, its folder `completions`, and the state of the newest
 * checkpoint.
 */
async function expand(paths: readonly string[]): Promise<string[]> {
  const files: string[] = [];
  for (const path of paths) {
    const found = await statInput(path);
    if (!found.isDirectory()) {
      refuseUnlessFile(path, found);
      files.push(path);
      continue;
    }
    const names = (await readdir(path)).toSorted();
    for (const name of names) {
      if (/\.(parquet|jsonl|ndjson)$/.test(name) || name === TRAINER_STATE)
        files.push(join(path, name));
      if (name === 'completions') files.push(...(await expand([join(path, name)])));
    }
    const state = names.includes(TRAINER_STATE) ? null : await newestState(path, names);
    if (state !== null) files.push(state);
  }
  return files;
}

async function newestState(path: string, names: readonly string[]): Promise<string | null> {
  const steps = names.flatMap((name) => /^checkpoint-(\d+)$/.exec(name)?.[1] ?? []).map(Number);
  if (steps.length === 0) return null;
  const state = join(path, `checkpoint-${Math.max(...steps)}`, TRAINER_STATE);
  return (await stat(state).catch(() => null)) === null ? null : state;
}

const TRAINER_STATE = 'trainer_state.json';

async function kindOf(connection: DuckDBConnection, path: string): Promise<Kind> {
  if (path.endsWith('.parquet')) return kindOfColumns(await columnsOf(connection, [path]));
  if (basename(path) === TRAINER_STATE) return 'trl-state';
  for await (const { text } of readLines(path)) {
    const line = text === null ? null : jsonOf(text);
    if (!isJsonObject(line)) return 'unknown';
    if (Array.isArray(line['messages'])) return 'messages';
    if (verlStep(line) !== null) return 'verl-steps';
    const kind = kindOfColumns(new Map(Object.keys(line).map((key) => [key, ''])));
    if (kind !== 'unknown') return kind;
    return typeof line['step'] === 'number' && 'loss' in line ? 'steps' : 'unknown';
  }
  return 'unknown';
}

function kindOfColumns(columns: Columns): Kind {
  if (columns.has('trajectory_id') && columns.has('turns')) return 'trajectories';
  if (columns.has('trajectory_id') && columns.has('oracle_score')) return 'labels';
  if (isTrl(columns)) return 'trl';
  return isVerl(columns) ? 'verl' : 'unknown';
}

export const IF_CUT_OFF = 'if it was cut off, copy it again or let the run write it again';

async function columnsOf(connection: DuckDBConnection, files: readonly string[]): Promise<Columns> {
  const list = `[${files.map(quoteText).join(', ')}]`;
  const source = files.every((file) => file.endsWith('.parquet'))
    ? `read_parquet(${list}, union_by_name = true)`
    : `read_json(${list}, format = 'newline_delimited', union_by_name = true, maximum_object_size = 268435456)`;
  try {
    const reader = await connection.runAndReadAll(`DESCRIBE FROM ${source}`);
    const columns = reader.getRowObjectsJS().map((row) => [row['column_name'], row['column_type']]);
    return new Map(
      columns.flatMap(([name, type]) =>
        typeof name === 'string' && typeof type === 'string' ? [[name, type]] : [],
      ),
    );
  } catch (cause) {
    const why = firstLineOf(cause);
    const file = files.find((one) => why.includes(one)) ?? files[0];
    throw new LogError(`${file} cannot be read: ${why}; ${IF_CUT_OFF}`, { cause });
  }
}

async function onlyState(paths: readonly string[]): Promise<ReturnType<typeof trlState>> {
  const [path] = paths;
  return path === undefined ? null : trlState(jsonOf(await readFile(path, 'utf8')));
}

async function readSteps(paths: readonly string[]): Promise<StepNumbers[] | null> {
  const steps: StepNumbers[] = [];
  for (const path of paths) {
    for await (const { text } of readLines(path)) {
      const line = text === null ? null : jsonOf(text);
      const step = verlStep(line) ?? ownStep(line);
      if (step !== null) steps.push(step);
    }
  }
  return steps.length === 0 ? null : steps;
}

const ownStep = (line: unknown): StepNumbers | null =>
  isJsonObject(line)
    ? Object.fromEntries(
        Object.entries(line).map(([name, value]) => [
          name,
          typeof value === 'number' ? value : null,
        ]),
      )
    : null;
