// Diagnostics of agents that use tools, against values by hand.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bench, makeBench } from '../activities/bench.ts';
import { measure, type TestRow } from './measure.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await makeBench();
});
afterAll(async () => bench.close());

describe('behavior of agents', () => {
  const EPISODES: TestRow[] = [
    { actions: 'S:q R:f E:1 T:t U:', turn_count: 5, stop_reason: 'submitted', reward: 1 },
    { actions: 'E:1 E:2! E:3 U:', turn_count: 4, stop_reason: 'submitted', reward: 0 },
    { actions: 'R:f', turn_count: 2, stop_reason: 'end', reward: 0 },
    {
      actions: 'X:r X:r X:r X:r X:r X:r X:r X:r',
      turn_count: 61,
      stop_reason: 'turn_limit',
      reward: 0,
    },
  ].map((row, place) => ({ ...row, task_id: String(place) }));

  // One reading serves every formula.
  let episodes: ReturnType<typeof measure> | null = null;
  test.each([
    ['edit_ratio', (1 / 5 + 3 / 4) / 4],
    ['test_ratio', 1 / 5 / 4],
    ['search_ratio', 1 / 5 / 4],
    ['terminal_share', (1 / 5 + 1) / 4],
    ['edit_coverage', 1 / 2],
    ['premature_submit_share', 1 / 2],
    ['self_test_share', 1 / 4],
    ['edit_then_test_share', 1 / 2],
    ['search_before_edit_share', 1 / 2],
    ['first_edit_action', (3 + 1) / 2],
    ['edit_streak_share', 1 / 2],
    ['no_progress_run', (2 + 1 + 1 + 8) / 4],
    ['action_loop_longest', 8],
    ['action_loop_share', 1 / 3],
    ['tool_error_share', 1 / 4 / 4],
    ['edit_failure_share', 1 / 3 / 2],
    ['stop_submitted_share', 1 / 2],
    ['stop_turn_limit_share', 1 / 4],
    ['stop_end_share', 1 / 4],
    ['stop_token_limit_share', 0],
    ['stop_error_share', 0],
    ['abandonment_share', 1 / 4],
    ['idle_share', 1 / 2],
    ['echo_trap_share', 1 / 4],
    ['agent_turns', 72 / 4],
    ['turns_longest', 61],
    ['unpaid_turns_ratio', (67 / 3) * (4 / 72)],
  ])('%s', async (name, expected) => {
    episodes ??= measure(bench, EPISODES);
    expect((await episodes)(name).value).toBeCloseTo(expected);
  });

  test('a cycle of two counts its rounds', async () => {
    const value = await measure(bench, [{ actions: 'X:r R:f X:r R:f X:r R:f' }]);
    expect(value('action_loop_longest').value).toBe(3);
  });

  test('behavior is told by outcome, and what is over groups is not', async () => {
    const value = await measure(bench, EPISODES);
    expect(value('edit_coverage').groups).toMatchObject({
      right: { value: 1, n: 1 },
      wrong: { n: 3 },
    });
    expect(value('edit_coverage').groups?.wrong?.value).toBeCloseTo(1 / 3);
    expect(value('sequence_diversity').groups).toBeNull();
    expect(value('reward_mean').groups).toBeNull();
  });
});
