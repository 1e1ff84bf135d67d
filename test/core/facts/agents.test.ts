import { describe, expect, test } from 'vitest';
import { actionsOf } from '../../../core/facts/actions.ts';
import { agentMessages, turnsOf } from '../../../core/facts/foreign-messages.ts';
import { agentTrajectorySchema } from '../../../core/schemas/agent-trajectory.ts';
import type { Action } from '../../../core/schemas/trajectory.ts';
import type { Agent } from './agent.ts';
import { AGENTS } from './agents.ts';
import { ODD_AGENTS } from './odd-agents.ts';

const ALL = [...AGENTS, ...ODD_AGENTS];

const messagesOf = (messages: Agent['messages']) =>
  agentMessages(agentTrajectorySchema.parse({ id: 'a', domain: 'swe', messages }).messages, false);
const line = ({ turn, kind, verb, paths, wrote }: Action): string =>
  [turn, kind, verb, ...paths.map((path) => (wrote ? `!${path}` : path))].join(' ');

test.each(ALL)('an agent with $name', ({ messages, acts }) => {
  expect(actionsOf(messagesOf(messages)).map(line)).toEqual(acts);
});

describe('turns', () => {
  test.each(ALL)('are one a message for an agent with $name', ({ messages }) => {
    expect(turnsOf(messagesOf(messages))).toHaveLength(messages.length);
  });

  const call = (id: string, name: string, given: string) => ({
    id,
    function: { name, arguments: given },
  });
  const messages = messagesOf([
    { role: 'system', content: 'be good' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'fix ' },
        { type: 'text', text: 'it' },
      ],
    },
    {
      role: 'assistant',
      content: 'text',
      reasoning_content: 'thought',
      tool_calls: [call('1', 'bash', '{"command": "ls"}'), call('2', 'edit', '{"path": ')],
    },
    { role: 'tool', tool_call_id: '2', content: 'Error: arguments are no JSON' },
    { role: 'tool', tool_call_id: '1', content: 'a.py\nexit code: 0' },
  ]);

  test('have the text of all parts, what was thought first', () => {
    expect(
      turnsOf(messages)
        .map(({ text }) => text)
        .slice(0, 3),
    ).toEqual(['be good', 'fix it', 'thought\n\ntext']);
  });

  test('of a reply name the tool that it answers, and how it went', () => {
    const seen = turnsOf(messages).slice(2);
    expect(
      seen.map(({ role, tool, status, exit_code: code }) => [role, tool, status, code]),
    ).toEqual([
      ['policy', 'bash, edit', 'malformed', null],
      ['environment', 'edit', 'error', null],
      ['environment', 'bash', 'ok', 0],
    ]);
  });

  test('hold arguments as JSON, a list of them where there are several calls', () => {
    expect(JSON.parse(turnsOf(messages)[2]?.arguments ?? '')).toEqual([
      { command: 'ls' },
      '{"path": ',
    ]);
  });
});

describe('how a call went', () => {
  const ending = (command: string, reply: string | null): Action | undefined =>
    actionsOf(
      messagesOf([
        {
          role: 'assistant',
          content: '',
          tool_calls: [
            { id: '1', function: { name: 'bash', arguments: JSON.stringify({ command }) } },
          ],
        },
        ...(reply === null ? [] : [{ role: 'tool', tool_call_id: '1', content: reply }]),
      ]),
    )[0];

  test.each([
    ['cat a', 'Exit code: 2\nno', false, 2],
    ['cat a', 'text\n<returncode>0</returncode>', true, 0],
    ['cat a', '{"output": "x", "exit_code": 127}', false, 127],
    ['cat a', 'x\n[The command completed with exit code 0.]', true, 0],
    ['cat a', 'Process exited with status 1', false, 1],
    ['cat a', 'return code = 3', false, 3],
    ['cat a', 'bash: cat: command not found', false, null],
    ['cat a', 'Error: no such tool', false, null],
    ['cat a', 'cat: a: No such file or directory', false, null],
    ['cat a', 'def error(): pass', true, null],
    ['cat a', `${'x'.repeat(3000)} exit code: 1 ${'y'.repeat(3000)}`, true, null],
    ['pytest', '1 failed\nexit code: 1', true, 1],
    ['pytest', 'usage: pytest\nexit code: 4', false, 4],
    ['grep -rn x src', 'exit code 1', true, 1],
    ['cat a', '', true, null],
    ['cat a', null, true, null],
  ])('%s answered by %j', (command, reply, ok, code) => {
    const action = ending(command, reply);
    expect([action?.ok, action?.exit_code]).toEqual([ok, code]);
  });
});
