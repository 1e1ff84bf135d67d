// What verl dumps: rollouts as JSON lines, one file per optimizer step, and metrics of its file logger.
import { type LogRows, nameOf, oneTurn, textOf } from './log-rows.ts';
import { type Columns, isJsonObject, type StepNumbers, stepNumbersOf } from './trl.ts';
import { quoteName, quoteText } from '../../core/quoted-sql.ts';

export const isVerl = (columns: Columns): boolean =>
  ['input', 'output', 'score'].every((name) => columns.has(name));

/** Notices for every reader of these dumps. */
export const VERL_NOTES: readonly string[] = [
  'verl dumps hold input, output, score and extras: no stop reason, no token counts, no turns, no advantage',
  'rows with one uid are a group; without uid, the outputs to one input in one step are',
];

const OWN: readonly string[] = ['input', 'output', 'score', 'step', 'uid', 'gts'];

/** `acc`, where the reward gave it, is the graded outcome; the score is what was paid. */
export function verlRows(files: readonly string[], columns: Columns): LogRows {
  const prompt = textOf('input', columns.get('input') ?? '');
  const output = textOf('output', columns.get('output') ?? '');
  const task = nameOf(prompt);
  // Where rows have no step, each file is one step and has its number as name.
  const step = columns.has('step')
    ? 'step::BIGINT'
    : `try_cast(regexp_extract(filename, '([0-9]+)[^/0-9]*$', 1) AS BIGINT)`;
  // <sample>_<rollout>_<turn output> of newer versions, else a name that a group shares.
  const group = columns.has('uid')
    ? `coalesce(regexp_replace(uid::VARCHAR, '_[^_]*_[^_]*$', ''), ${task})`
    : task;
  const extra = [...columns.keys()].filter((name) => ![...OWN, 'filename'].includes(name));
  const right = columns.has('acc') ? 'least(1, greatest(0, acc::DOUBLE))' : null;
  return {
    from: `(SELECT *, row_number() OVER () - 1 AS place
      FROM read_json([${files.map(quoteText).join(', ')}],
      format = 'newline_delimited', union_by_name = true, filename = true,
      maximum_object_size = 268435456))`,
    columns: {
      step,
      prompt,
      artifact: output,
      turns: oneTurn(output),
      turn_count: '1',
      task_id: task,
      group_id: `coalesce(${step}::VARCHAR, '') || '/' || ${group}`,
      sample: 'place',
      trajectory_id: `coalesce(${step}::VARCHAR, '') || '/' || place`,
      reward: 'score::DOUBLE',
      rewards: `[{'component': 'score', 'value': score::DOUBLE}]`,
      extra: `to_json(struct_pack(${[...extra, ...OWN.filter((name) => name === 'gts' && columns.has(name))].map((name) => `${quoteName(name)} := ${quoteName(name)}`).join(', ')}))`,
    },
    ...(right === null
      ? {}
      : {
          hidden: {
            score: right,
            verdict: `CASE WHEN ${right} = 1 THEN 'correct' WHEN ${right} < 1 THEN 'incorrect' END`,
          },
        }),
  };
}

/** A line of the file logger, `{"step": …, "data": {…}}`, in the words of our step metrics; null where it is none. */
export function verlStep(line: unknown): StepNumbers | null {
  if (!isJsonObject(line) || !isJsonObject(line['data']) || typeof line['step'] !== 'number')
    return null;
  return stepNumbersOf({ ...line['data'], step: line['step'] }, STEP_NAMES);
}

const STEP_NAMES: Readonly<Record<string, string>> = {
  step: 'step',
  reward_mean: 'critic/rewards/mean',
  reward_std: 'critic/rewards/std',
  truncated_share: 'response_length/clip_ratio',
  entropy: 'actor/entropy',
  completion_tokens_mean: 'response_length/mean',
  loss: 'actor/pg_loss',
  grad_norm: 'actor/grad_norm',
  clip_share: 'actor/pg_clipfrac',
  kl: 'actor/ppo_kl',
};
