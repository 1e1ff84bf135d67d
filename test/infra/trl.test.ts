import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { findLogs } from '../../infra/imports/find-logs.ts';
import { leastSquares } from '../../core/stats/least-squares.ts';
import { trlState } from '../../infra/imports/trl.ts';

const entry = (step: number, right: number, long: number, reward: number) => ({
  step,
  reward,
  'rewards/right/mean': right,
  'rewards/long/mean': long,
  entropy: 0.5,
});

test('trainer_state.json tells the weights of reward functions, as its rewards are their weighted sums', () => {
  const log_history = [entry(1, 0.2, 0.4, 0.28), entry(2, 0.5, 0.4, 0.58), { eval_loss: 1 }];
  const state = trlState({ log_history });
  expect(state?.rewards).toEqual([
    { name: 'right', weight: 1 },
    { name: 'long', weight: 0.2 },
  ]);
  expect(state?.steps[1]).toMatchObject({ step: 2, reward_mean: 0.58, entropy: 0.5, kl: null });
});

test('weights that the log does not determine stay unknown', () => {
  const unknown = [
    { name: 'right', weight: null },
    { name: 'long', weight: null },
  ];
  const once = trlState({ log_history: [entry(1, 0.2, 0.4, 0.28)] });
  expect(once?.rewards).toEqual(unknown);
  const passedOver = [entry(1, 0.2, 0.4, 0.9), entry(2, 0.5, 0.4, 0.1), entry(3, 0.1, 0.1, 0.7)];
  expect(trlState({ log_history: passedOver })?.rewards).toEqual(unknown);
  expect(trlState({ log_history: [{ loss: 1 }] })).toBeNull();
});

test('least squares meets what can be met, and knows what it cannot tell', () => {
  const rows = [
    [0, 1],
    [1, 0],
    [1, 1],
  ];
  expect(leastSquares(rows, [2, 3, 5])).toEqual([expect.closeTo(3), expect.closeTo(2)]);
  expect(
    leastSquares(
      [
        [1, 2],
        [2, 4],
      ],
      [1, 2],
    ),
  ).toBeNull();
});

test('the folder of a run is read by its completions and the state of its newest checkpoint', async () => {
  const run = await mkdtemp(join(tmpdir(), 'evo-trl-'));
  const logged = fileURLToPath(new URL('../fixtures/trl/healthy', import.meta.url));
  const file = 'completions_00004.parquet';
  await mkdir(join(run, 'completions'));
  await cp(join(logged, file), join(run, 'completions', file));
  for (const step of [9, 60]) await mkdir(join(run, `checkpoint-${step}`));
  await cp(join(logged, 'trainer_state.json'), join(run, 'checkpoint-60', 'trainer_state.json'));
  const instance = await DuckDBInstance.create(':memory:');
  const found = await findLogs(await instance.connect(), [run]);
  expect(found).toMatchObject({ format: 'trl', rows: [join(run, 'completions', file)] });
  expect(found.rewards).toEqual([{ name: 'accuracy', weight: 1 }]);
  expect(found.steps).toHaveLength(15);
  instance.closeSync();
  await rm(run, { recursive: true });
});
