// Sealed rows as the gate reads them: grouped by policy and task, checked to be whole, paired by position.
import type { SealedResult } from '../schemas/trajectory.ts';
import type { Guard } from '../schemas/ledger-entry.ts';

/** Why a policy does not pass; null stands for "nothing against it". */
export interface Finding {
  readonly verdict: 'reject' | 'no-decision';
  readonly guard: Guard;
  readonly why: string;
}

export type TaskRows = ReadonlyMap<number, readonly SealedResult[]>;

export const INCUMBENT = 'incumbent';
export const CHALLENGER = 'challenger';
export const NULL_POLICY = 'null';

export const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
export const points = (difference: number): string => `${(100 * difference).toFixed(1)} points`;

/** Rows of one policy by task position, ascending; samples ascending within. */
export function tasksOf(rows: readonly SealedResult[], policy: string): TaskRows {
  const tasks = new Map<number, SealedResult[]>();
  const own = rows.filter((row) => row.policy === policy);
  for (const row of own.toSorted((a, b) => a.item - b.item || a.sample - b.sample)) {
    const task = tasks.get(row.item);
    if (task) task.push(row);
    else tasks.set(row.item, [row]);
  }
  return tasks;
}

/** One mean a task, in order of position. */
export const taskMeans = (tasks: TaskRows, score: (row: SealedResult) => number): number[] =>
  [...tasks.values()].map((rows) => rows.reduce((sum, row) => sum + score(row), 0) / rows.length);

const isScore = (value: number): boolean => value >= 0 && value <= 1;

/**
 * What is missing or wrong in a policy's rows, as a sentence; null where they are whole. `tasks` null: as many as there
 * are. A position counts once, with exactly `samples` different samples and scores in 0…1.
 */
export function findFault(
  policy: string,
  rows: TaskRows,
  plan: { readonly stream: string; readonly tasks: number | null; readonly samples: number },
): string | null {
  if (plan.tasks !== null && rows.size !== plan.tasks) {
    return `${policy} has ${rows.size} of ${plan.tasks} planned ${plan.stream} tasks`;
  }
  for (const [item, samples] of rows) {
    const place = `${policy} on ${plan.stream} task ${item}`;
    const distinct = new Set(samples.map(({ sample }) => sample)).size;
    if (samples.length !== plan.samples || distinct !== plan.samples) {
      return `${place} has ${samples.length} rows of ${distinct} samples, not ${plan.samples}`;
    }
    if (new Set(samples.map(({ category }) => category)).size > 1) {
      return `${place} has two categories`;
    }
    const bad = samples.find(
      (row) => ![row.visible_score, row.true_score, row.second_grader_score].every(isScore),
    );
    if (bad) return `${place} has a score that is no number in 0…1`;
  }
  return null;
}

/** Why two policies' whole rows do not pair, as a sentence; null where every task of one is the other's. */
export function findUnpaired(left: TaskRows, right: TaskRows, stream: string): string | null {
  if (left.size !== right.size) {
    return `${stream} holds ${left.size} tasks of one policy and ${right.size} of the other`;
  }
  for (const [item, [first]] of left) {
    const other = right.get(item)?.[0];
    if (!other) return `${stream} task ${item} was played by one policy only`;
    if (other.category !== first?.category || other.level !== first.level) {
      return `${stream} task ${item} is of another level or category for the other policy`;
    }
  }
  return null;
}

export const noDecision = (guard: Guard, why: string): Finding => ({
  verdict: 'no-decision',
  guard,
  why,
});

export const rejection = (guard: Guard, why: string): Finding => ({
  verdict: 'reject',
  guard,
  why,
});
