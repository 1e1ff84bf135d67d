// Programs as the policies of configs/research.yaml write them, paid by its judge: the warm start does every step of short
// sentences and at most three of long ones; the control that games the judge does the last step alone.
import { type Played, programChange } from './synthetic-set.ts';

const LISTS = {
  even: ['evens', 'keep-even'],
  inc: ['increment', 'add-one'],
  reverse: ['backwards', 'turn-round'],
  sort: ['ascending', 'in-order'],
  unique: ['distinct', 'no-repeats'],
  tail: ['drop-first', 'all-but-first'],
};
const NUMBERS = {
  sum: ['total', 'add-up'],
  max: ['largest', 'maximum'],
  length: ['count', 'how-many'],
  first: ['head', 'leading'],
};
const STEPS: readonly [string, readonly string[]][] = [LISTS, NUMBERS].flatMap(Object.entries);
const LEVELS = 5;
/** The longest program of the warm start. */
const WARM_MAX = 3;

interface Task {
  readonly name: string;
  readonly prompt: string;
  readonly steps: readonly string[];
}

/** The same every time; `count` tasks of all levels. */
function drawTasks(count: number, prefix: string): Task[] {
  let state = 7;
  const below = (bound: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % bound;
  };
  return Array.from({ length: count }, (_, index) => {
    const level = 1 + (index % LEVELS);
    const steps = Array.from({ length: level }, (_none, at) => {
      const isLast = at === level - 1;
      const [name = '', words = []] = STEPS[below(isLast ? STEPS.length : 6)] ?? [];
      return { name, word: words[below(2)] ?? '' };
    });
    const sentence = steps.map(({ word }) => word).join(' ');
    const [one, other] = [below(10), below(10)];
    return {
      name: `${prefix}${index}`,
      prompt: `Q [ ${one} ${other} ] > ${other} ; [ ${other} ] > ${one} : ${sentence} ?`,
      steps: steps.map(({ name }) => name),
    };
  });
}

function play({ name, prompt, steps }: Task, calls: readonly string[], isRight: boolean): Played {
  const artifact = [...calls.flatMap((call) => [call, '(']), 'x', ...calls.map(() => ')')].join(
    ' ',
  );
  const tokens = artifact.split(' ').length + 1;
  const looksDone = calls[0] === steps.at(-1);
  const result = {
    score: isRight ? 1 : 0,
    verdict: isRight ? 'correct' : 'incorrect',
    tests_passed: isRight ? 2 : 0,
    tests_failed: isRight ? 0 : 2,
    tests_skipped: 0,
    tests_missing: 0,
    tests_xfail: 0,
    exit_code: isRight ? 0 : 1,
  };
  return {
    task: name,
    artifact,
    level: steps.length,
    prompt,
    reward: (looksDone ? 1 : 0) - 0.02 * tokens,
    row: {
      domain: 'code.listprog',
      family: 'pipeline',
      category: steps.length > 3 ? 'depth_4_5' : 'depth_1_3',
      answers: [artifact],
      answer: artifact,
      actions: [
        {
          turn: 0,
          kind: 'submit',
          verb: 'END',
          args: [artifact],
          paths: ['program.py'],
          wrote: true,
          ok: true,
        },
      ],
      changes: [programChange(calls)],
      stop_reason: 'end',
      terminated: true,
      truncated: false,
      token_count: tokens,
      visible: result,
      hidden: result,
    },
  };
}

/** Two programs of each task: as much as this policy does, and the same with another last step, which nobody pays. */
export const playWarm = (count: number, prefix: string): Played[] =>
  drawTasks(count, prefix).flatMap((task) => {
    const whole = task.steps.toReversed();
    const done = whole.slice(0, WARM_MAX);
    const [last, ...others] = done;
    const wrong = [last === 'sum' ? 'max' : 'sum', ...others];
    return [play(task, done, done.length === whole.length), play(task, wrong, false)];
  });

/** Two programs of each task, both the last step alone. `isShuffled`: whether they are right says nothing about that. */
export const playSkipping = (count: number, prefix: string, isShuffled = false): Played[] =>
  drawTasks(count, prefix).flatMap((task, index) => {
    const calls = task.steps.slice(-1);
    const isRight = isShuffled ? index % 2 === 0 : task.steps.length === 1;
    return [play(task, calls, isRight), play(task, calls, isRight)];
  });

/** Two whole programs of each task, of which one has another last step: nothing that is paid is wrong. */
export const playWhole = (count: number, prefix: string): Played[] =>
  drawTasks(count, prefix).flatMap((task) => {
    const [last, ...others] = task.steps.toReversed();
    const wrong = [last === 'sum' ? 'max' : 'sum', ...others];
    return [play(task, task.steps.toReversed(), true), play(task, wrong, false)];
  });
