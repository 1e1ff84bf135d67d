// Reads trajectories of other agents into our tables: what `evo import`, `evo detect` and `evo health` stand on.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import {
  compactRow,
  importedRow,
  labelOf,
  type RowIdentity,
} from '../../core/facts/imported-row.ts';
import {
  agentTrajectorySchema,
  type AgentTrajectory,
  type CompactTrajectory,
  KNOWN_FIELDS,
  trajectoryGroupSchema,
} from '../../core/schemas/agent-trajectory.ts';
import {
  type Label,
  labelSchema,
  type Trajectory,
  trajectorySchema,
} from '../../core/schemas/trajectory.ts';
import { type Fault, parseLine, type Problem, PROBLEMS_MAX, TOO_LONG } from './problem.ts';
import { readLines } from './read-lines.ts';
import { TableWriter } from './table-writer.ts';

export interface Imported {
  /** Parquet with the columns of the trajectory table, a row a trajectory in the order of the files. */
  readonly tablePath: string;
  /** Parquet of labels, joined by trajectory_id; null where no trajectory says whether it is truly right. */
  readonly labelsPath: string | null;
  readonly count: number;
  readonly problems: readonly Problem[];
  /** Lines left out, also those that `problems` has no room for. */
  readonly refused: number;
}

/**
 * Reads a file of agent trajectories (docs/importing.md), a JSON object a line, into `trajectories.parquet` and
 * `labels.parquet` in `outFolder`, which exists. The file's `id` is `trajectory_id`; trajectories with the same task are one
 * group. A broken line is a problem and the rest goes on; memory does not grow with the file. Throws where a file cannot
 * be read or a table cannot be written.
 */
export const importFile = (path: string, outFolder: string): Promise<Imported> =>
  importFiles([path], join(outFolder, 'trajectories.parquet'), join(outFolder, 'labels.parquet'));

/** The same for several files as one table; ids are unique over all of them. */
export async function importFiles(
  paths: readonly string[],
  tablePath: string,
  labelsPath: string,
): Promise<Imported> {
  const problems = new Problems();
  const table = new TableWriter<Trajectory>(tablePath, trajectorySchema);
  const labels = new TableWriter<Label>(labelsPath, labelSchema);
  try {
    const seen = new Map<string, string>();
    const samples = new Map<string, number>();
    for (const file of paths) {
      for await (const { number, text } of readLines(file)) {
        const line = { file, line: number };
        const parsed = text === null ? { fault: TOO_LONG } : parseLine(text, agentTrajectorySchema);
        if ('fault' in parsed) {
          problems.add({ ...line, ...parsed.fault });
          continue;
        }
        const { value: log, raw } = parsed;
        const first = seen.get(log.id);
        if (first !== undefined) {
          const what = `id '${log.id}' is that of ${first} too`;
          problems.add({ ...line, what, cure: 'give each trajectory an id of its own' });
          continue;
        }
        const taskId = taskIdOf(log);
        const sample = samples.get(taskId) ?? 0;
        const identity = { trajectoryId: log.id, taskId, groupId: taskId, sample };
        const row = rowOrFault(() => importedRow(log, identity, unknownFields(raw)));
        if ('fault' in row) {
          problems.add({ ...line, ...row.fault });
          continue;
        }
        seen.set(log.id, `${file}:${number}`);
        samples.set(taskId, sample + 1);
        await table.write(row);
        const label = labelOf(row, log.outcome?.hidden_correct);
        if (label !== null) await labels.write(label);
      }
    }
    await table.close();
  } catch (error) {
    await table.abandon();
    await labels.abandon();
    throw error;
  }
  const hasLabels = labels.count > 0;
  await (hasLabels ? labels.close() : labels.abandon());
  return {
    tablePath,
    labelsPath: hasLabels ? labelsPath : null,
    count: table.count,
    problems: problems.listed,
    refused: problems.count,
  };
}

export interface ImportedSet {
  readonly tablePath: string;
  readonly labelsPath: string | null;
  readonly count: number;
}

export interface ImportedGroup {
  readonly id: string;
  readonly line: number;
  readonly before: ImportedSet;
  readonly after: ImportedSet;
}

/**
 * Reads a file of populations, `{"id", "before": […], "after": […]}` a line, each side into a table of its own in
 * `outFolder`. Their rows have reward, components, answer, length and end; turns, actions and changes are NULL. Each
 * trajectory counts as a task of its own. Problems as with importFile.
 */
export async function importGroupsFile(
  path: string,
  outFolder: string,
): Promise<{ readonly groups: readonly ImportedGroup[]; readonly problems: readonly Problem[] }> {
  const problems = new Problems();
  const groups: ImportedGroup[] = [];
  const seen = new Map<string, number>();
  for await (const { number, text } of readLines(path)) {
    const line = { file: path, line: number };
    const parsed = text === null ? { fault: TOO_LONG } : parseLine(text, trajectoryGroupSchema);
    if ('fault' in parsed) {
      problems.add({ ...line, ...parsed.fault });
      continue;
    }
    const { id, domain = null, before, after } = parsed.value;
    const first = seen.get(id);
    if (first !== undefined) {
      const what = `id '${id}' is that of line ${first} too`;
      problems.add({ ...line, what, cure: 'give each population an id of its own' });
      continue;
    }
    seen.set(id, number);
    const write = (side: 'before' | 'after', rows: readonly CompactTrajectory[]) =>
      writeSet(join(outFolder, `${String(number).padStart(6, '0')}-${side}`), rows, (index) => ({
        domain,
        name: `${id}/${side}/${index}`,
      }));
    groups.push({
      id,
      line: number,
      before: await write('before', before),
      after: await write('after', after),
    });
  }
  return { groups, problems: problems.listed };
}

async function writeSet(
  place: string,
  rows: readonly CompactTrajectory[],
  who: (index: number) => { readonly domain: string | null; readonly name: string },
): Promise<ImportedSet> {
  const tablePath = `${place}.parquet`;
  const labelsPath = `${place}-labels.parquet`;
  const table = new TableWriter<Trajectory>(tablePath, trajectorySchema);
  const labels = new TableWriter<Label>(labelsPath, labelSchema);
  for (const [index, compact] of rows.entries()) {
    const { domain, name } = who(index);
    const identity: RowIdentity = { trajectoryId: name, taskId: name, groupId: name, sample: 0 };
    const row = compactRow(compact, domain, identity, without(compact, KNOWN_FIELDS.compact));
    await table.write(row);
    const label = labelOf(row, compact.hidden_correct);
    if (label !== null) await labels.write(label);
  }
  await table.close();
  const hasLabels = labels.count > 0;
  await (hasLabels ? labels.close() : labels.abandon());
  return { tablePath, labelsPath: hasLabels ? labelsPath : null, count: rows.length };
}

class Problems {
  readonly listed: Problem[] = [];
  count = 0;

  add(problem: Problem): void {
    this.count++;
    if (this.listed.length < PROBLEMS_MAX) this.listed.push(problem);
  }
}

/** What is nested deeper than the stack is one line's fault, and no reason to lose the others. */
function rowOrFault(make: () => Trajectory): Trajectory | { readonly fault: Fault } {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const cure = 'mend or remove the line; the others were read';
    return { fault: { what: `nested too deep or too long (${error.message})`, cure } };
  }
}

/** Trajectories that were asked the same are samples of one task. */
function taskIdOf({ domain, task, messages }: AgentTrajectory): string {
  const asked = task?.prompt ?? messages.find(({ role }) => role === 'user')?.content ?? '';
  const text = JSON.stringify([domain, asked, task?.visible_tests ?? null]);
  return `${domain}/${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}

/** What the format does not know, at the places where it stood. */
function unknownFields(raw: object): object {
  const fields = new Map<string, unknown>(Object.entries(raw));
  const inner = (['task', 'final', 'outcome'] as const).flatMap((name) => {
    const left = without(Object(fields.get(name) ?? {}), KNOWN_FIELDS[name]);
    return Object.keys(left).length === 0 ? [] : [[name, left] as const];
  });
  return { ...without(raw, KNOWN_FIELDS.trajectory), ...Object.fromEntries(inner) };
}

const without = (value: object, known: readonly string[]): object =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !known.includes(name)));
