// Agents without a tool interface, each in the form that it writes its calls in.
import { describe, expect, test } from 'vitest';
import { importedRow } from '../../../core/facts/imported-row.ts';
import { agentTrajectorySchema } from '../../../core/schemas/agent-trajectory.ts';

const LS = '{"name": "bash", "arguments": {"command": "git log --all"}}';
const FORMS: readonly (readonly [string, string])[] = [
  ['XML tags a tool', '<execute_command>\n<command>git log --all</command>\n</execute_command>'],
  ['XML tags on one line', '<run_shell><command>git log --all</command></run_shell>'],
  ['keystrokes', 'So.\n\n{"plan": "", "commands": [{"keystrokes": "git log --all\\n"}]}'],
  ['a list of commands', '{"commands": ["git log --all"]}'],
  ['code tags', '<code>\nimport os\nos.system("git log --all")\n</code>'],
  ['tags of a shell', '<bash>git log --all</bash>'],
  [
    'invoke tags',
    '<invoke name="Bash"><parameter name="command">git log --all</parameter></invoke>',
  ],
  ['function tags', '<function=bash><parameter=command>git log --all</parameter></function>'],
  ['function tags about JSON', '<function=bash>{"command": "git log --all"}</function>'],
  ['a tool_call tag', `<tool_call>${LS}</tool_call>`],
  [
    'a tool_call tag with keys',
    '<tool_call>bash\n<arg_key>command</arg_key>\n<arg_value>git log --all</arg_value></tool_call>',
  ],
  ['a list behind a mark', `[TOOL_CALLS] [${LS}]`],
  ['a fenced JSON', `Next:\n\`\`\`json\n${LS}\n\`\`\``],
  [
    'an action object',
    '{"thought": "", "action": {"tool": "bash", "args": {"cmd": "git log --all"}}}',
  ],
  ['labels', 'Thought: look\nAction: bash\nAction Input: {"command": "git log --all"}'],
  ['labels about bare text', 'Action: bash\nAction Input: git log --all\nObservation:'],
  ['a fence of shell', 'Look:\n```bash\ngit log --all\n```'],
  ['a bare fence', 'DISCUSSION\nI look.\n```\ngit log --all\n```'],
  ['a fence of code', 'Code:\n```py\nimport os\nos.system("git log --all")\n```<end_code>'],
];

const rowOf = (content: unknown, tool_calls: readonly object[] | null = null) =>
  importedRow(
    agentTrajectorySchema.parse({
      id: 'a',
      domain: 'swe',
      messages: [
        { role: 'assistant', content, tool_calls },
        { role: 'user', content: 'ok' },
      ],
    }),
    { trajectoryId: 'a', taskId: 'a', groupId: 'a', sample: 0 },
    {},
  );

describe('a call in the text', () => {
  test.each(FORMS)('in %s is the act that it is', (_, text) => {
    const acts = (rowOf(text).actions ?? []).map(({ verb, args }) => [verb, ...args].join(' '));
    expect(acts).toEqual(['git log --all']);
  });

  test.each<[string, object]>([
    ['a batch', { invocations: [{ tool_name: 'Bash', input: { command: 'git log --all' } }] }],
    ['a list of keystrokes', { commands: [{ keystrokes: 'git log --all\n' }] }],
    ['a wrapper', { tool: 'bash', payload: { command: 'git log --all' } }],
    ['a list of words', { action: { type: 'exec', command: ['bash', '-lc', 'git log --all'] } }],
    ['a program with arguments', { program: 'git', args: ['log', '--all'] }],
    ['a script in a language', { language: 'sh', source: 'git log --all' }],
  ])('in %s is one of the tool that it is for', (_, given) => {
    const call = { function: { name: 'exec', arguments: JSON.stringify(given) } };
    const [first] = rowOf('', [call]).actions ?? [];
    expect([first?.verb, ...(first?.args ?? [])].join(' ')).toBe('git log --all');
  });

  test('in a block of the content is one too', () => {
    const block = { type: 'tool_use', id: 'b', name: 'Bash', input: { command: 'git log --all' } };
    expect(rowOf([{ type: 'text', text: 'So.' }, block]).actions?.[0]?.verb).toBe('git log');
  });

  test.each([
    [
      'a block between search and replace',
      'a.py\n```python\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n```',
    ],
    [
      'a field between them',
      '<edit_file><path>a.py</path>\n<diff>\n------- SEARCH\nx = 1\n=======\nx = 2\n+++++++ REPLACE\n</diff></edit_file>',
    ],
  ])('in %s writes what it replaces by', (_, text) => {
    const found = (rowOf(text).statements ?? []).map(({ path, mark, text: code }) => [
      path,
      mark,
      code,
    ]);
    expect(found).toEqual([
      ['a.py', 'added', 'x = 2'],
      ['a.py', 'removed', 'x = 1'],
    ]);
  });

  test.each([
    ['prose about a tag', 'The <b>bold</b> and `{x}` are parsed; see <https://example.org>.'],
    ['a program as an answer', '```python\ndef f():\n    return 1\n```'],
    ['an object as an answer', '{"answer": 4}'],
  ])('is none in %s', (_, text) => {
    expect(rowOf(text).actions).toEqual([]);
  });
});
