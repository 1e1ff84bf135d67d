// One trajectory as a person reads it: task, turns, what was answered, how it was judged.
import type { Cell, Row } from '../../activities/ports/analytics.ts';
import type { Style } from './style.ts';

const text = (value: Cell | undefined): string =>
  value === null || value === undefined
    ? '–'
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);

const list = (value: Cell | undefined): readonly Cell[] => (Array.isArray(value) ? value : []);

const fields = (value: Cell | undefined): Readonly<Record<string, Cell>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {};

export function trajectoryLines(row: Row, label: Row | null, style: Style): string[] {
  const { bold, dim } = style;
  const fact = (name: string, value: string): string => `${dim(name.padEnd(16))}${value}`;
  const outcome = (value: Cell | undefined): string => {
    const { score, verdict } = fields(value);
    return `${text(score)} ${dim(text(verdict))}`;
  };
  const rewards = list(row['rewards']).map((one) => {
    const { component, value } = fields(one);
    return `${text(component)} ${text(value)}`;
  });
  return [
    bold(text(row['trajectory_id'])),
    fact(
      'task',
      `${text(row['task_id'])}  ${text(row['family'])} level ${text(row['level'])}, ${text(row['category'])}`,
    ),
    fact(
      'drawn',
      `${text(row['split'])}, generation ${text(row['generation'])}, optimizer step ${text(row['step'])}, sample ${text(row['sample'])}`,
    ),
    '',
    bold('prompt'),
    text(row['prompt']),
    ...list(row['turns']).flatMap((turn) => turnLines(turn, style)),
    '',
    fact('answers', list(row['answers']).map(text).join(', ') || '–'),
    fact(
      'stopped',
      `${text(row['stop_reason'])} after ${text(row['token_count'])} of ${text(row['max_tokens'])} tokens`,
    ),
    fact('visible', outcome(row['visible'])),
    fact('training-hidden', outcome(row['hidden'])),
    ...(label
      ? [fact('oracle', `${text(label['oracle_score'])} ${dim(text(label['verdict']))}`)]
      : []),
    fact('reward', `${text(row['reward'])}  ${dim(rewards.join(', '))}`),
    fact(
      'advantage',
      `${text(row['advantage'])}  ${row['kept'] === false ? `kept out: ${text(row['filter_reason'])}` : ''}`.trimEnd(),
    ),
    fact('policy', text(row['policy_sha256']).slice(0, 12)),
  ];
}

function turnLines(turn: Cell, { bold, dim }: Style): string[] {
  const { role, tool, arguments: given, text: said, status, tokens } = fields(turn);
  const call = tool === null || tool === undefined ? '' : ` ${text(tool)} ${text(given)}`;
  const how = status === 'ok' ? '' : `, ${text(status)}`;
  return ['', `${bold(text(role))}${call} ${dim(`${text(tokens)} tokens${how}`)}`, text(said)];
}
