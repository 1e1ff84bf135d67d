// What an arm did on the bench's streams: task means read from its table, so that arms can be paired problem by problem.
import { DuckDBInstance } from '@duckdb/node-api';
import { z } from 'zod';
import type { Recipe } from '../../core/schemas/recipe.ts';
import type { PlainResult } from './plain-job.ts';

const taskSchema = z.object({
  item: z.coerce.number(),
  category: z.string(),
  visible: z.number(),
  truth: z.number(),
  truncated: z.number(),
  tampered: z.number(),
  tokens: z.number(),
});
export type TaskScore = z.infer<typeof taskSchema>;

export interface ArmScores {
  readonly name: string;
  /** Means on the bench of what the arm was paid, and of what the static recipe would pay it. */
  readonly ownReward: number;
  readonly staticReward: number;
  /** A mean over the samples of each task, in the order of the stream. */
  readonly tasks: readonly TaskScore[];
  /** Of each canary, whether the visible verifier passed it. */
  readonly canaries: readonly number[];
  readonly seconds: { readonly trained: number; readonly played: number };
}

/** Reads `bench.parquet` and the features' means of a bench job that played one policy, `it`. */
export async function readScores(
  name: string,
  own: Recipe,
  fixed: Recipe,
  { folder, summary }: PlainResult,
  seconds: ArmScores['seconds'],
): Promise<ArmScores> {
  const { features } = z
    .object({ features: z.object({ it: z.record(z.string(), z.number()) }) })
    .parse(summary);
  const rows = await taskRows(`${folder}/bench.parquet`);
  return {
    name,
    ownReward: rewardOf(own, features.it),
    staticReward: rewardOf(fixed, features.it),
    tasks: rows.filter(({ stream }) => stream === 'bench').map((row) => taskSchema.parse(row)),
    canaries: rows.filter(({ stream }) => stream === 'canary').map(({ visible }) => visible),
    seconds,
  };
}

const rewardOf = ({ reward }: Recipe, means: Readonly<Record<string, number>>): number =>
  reward.components.reduce((sum, { feature, weight }) => sum + weight * (means[feature] ?? 0), 0);

async function taskRows(path: string) {
  const database = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await database.connect();
  try {
    const reader = await connection.runAndReadAll(
      `SELECT stream, item, any_value(category) AS category, avg(visible_score) AS visible,
         avg(true_score) AS truth, avg(truncated::INT) AS truncated, avg(tampered::INT) AS tampered,
         avg(token_count) AS tokens
       FROM '${path.replaceAll("'", "''")}' GROUP BY stream, item ORDER BY stream, item`,
    );
    const schema = taskSchema.extend({ stream: z.string() });
    return reader.getRowObjects().map((row) => schema.parse(row));
  } finally {
    connection.closeSync();
    database.closeSync();
  }
}
