// Whatever an agent writes is data: it is read to an end, and gives facts of the right form.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { actionsOf } from '../../../core/facts/actions.ts';
import { callsInText } from '../../../core/facts/calls-in-text.ts';
import { markedAnswers, programIn } from '../../../core/facts/answers.ts';
import { ACTS_MAX } from '../../../core/facts/call.ts';
import { changesOf } from '../../../core/facts/changes.ts';
import { importedRow } from '../../../core/facts/imported-row.ts';
import { readReply } from '../../../core/facts/reply.ts';
import { agentTrajectorySchema } from '../../../core/schemas/agent-trajectory.ts';
import { factColumns, trajectorySchema } from '../../../core/schemas/trajectory.ts';

const actionsSchema = factColumns.actions;
const changesSchema = factColumns.changes;

/** Pieces that mean something to one of the readers, put together by chance. */
const piece = fc.oneof(
  fc.constantFrom(
    ...['$(', ')', '`', "'", '"', '<<EOF\n', '\nEOF\n', '|', '&&', ';', '\n', '(', '{', '}', '>'],
    ...['\\', '#', ' if ', ' do ', ' fi', '$x', '${', 'x=', '[[', '((', '<(', '&', '*', '!', '='],
    ...['python -c ', 'bash -c ', 'eval ', 'git ', 'xargs ', 'env ', 'import os\n', 'os.system('],
    ...['open(', 'lambda: ', 'def f(', 'class A', '"""', "f'{", '@', 'for x in y:\n  ', '[', ']'],
    ...[
      '\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n',
      '+',
      '-',
      '@@ ',
      'diff --git a/x b/x\n',
      '\\boxed{',
    ],
    ...[
      '<tool_call>',
      '<function=x>',
      '```bash\n',
      '```',
      '<answer>',
      '####',
      'Answer: ',
      '\0',
      '\uD800',
    ],
  ),
  fc.string({ maxLength: 12, unit: 'grapheme' }),
);
const garbage = fc.array(piece, { maxLength: 40 }).map((parts) => parts.join(''));

const acted = (name: string, text: string) =>
  actionsOf([
    { role: 'assistant', text: '', calls: [{ id: null, name, arguments: text }], replyTo: null },
  ]);

describe('garbage', () => {
  test.each(['bash', 'python', 'str_replace_editor', 'zorp', 'submit', 'git_log', ''])(
    'as arguments of %s gives at least one action of the right form',
    (name) => {
      fc.assert(
        fc.property(
          garbage,
          fc.constantFrom('command', 'code', 'path', 'input', 'patch'),
          (text, key) => {
            for (const given of [
              text,
              JSON.stringify({ [key]: text }),
              JSON.stringify({ [key]: [text] }),
            ]) {
              const actions = acted(name, given);
              expect(actions.length).toBeGreaterThan(0);
              expect(() => actionsSchema.parse(actions)).not.toThrow();
            }
          },
        ),
      );
    },
  );

  test('as a diff, an answer, a reply or a text is read', () => {
    fc.assert(
      fc.property(garbage, (text) => {
        expect(() => changesSchema.parse(changesOf(text))).not.toThrow();
        expect(() => z.array(z.string()).parse(markedAnswers(text))).not.toThrow();
        expect(() => [programIn(text), readReply(text), callsInText(text)]).not.toThrow();
      }),
      { numRuns: 300 },
    );
  });

  test('as a whole trajectory is a row of the table', () => {
    const value = fc.oneof(garbage, fc.constant(null), fc.jsonValue());
    const message = fc.record({
      role: fc.constantFrom('user', 'assistant', 'tool', 'system', 'zorp'),
      content: fc.oneof(garbage, fc.constant(null)),
      tool_calls: fc.array(
        fc.record({
          id: fc.constantFrom('1', '2', null),
          function: fc.record({ name: fc.constantFrom('bash', 'edit', 'x'), arguments: value }),
        }),
        { maxLength: 3 },
      ),
      tool_call_id: fc.constantFrom('1', '2', '3', null),
    });
    const log = fc.record({
      id: fc.constant('a'),
      domain: fc.constantFrom('swe', 'code', 'math'),
      messages: fc.array(message, { maxLength: 6 }),
      final: fc.record({ diff: garbage, answer: garbage }),
      stop_reason: fc.oneof(garbage, fc.constant(null)),
    });
    const identity = { trajectoryId: 'a', taskId: 't', groupId: 't', sample: 0 };
    fc.assert(
      fc.property(log, (raw) => {
        const row = importedRow(agentTrajectorySchema.parse(raw), identity, {});
        expect(() => trajectorySchema.parse(row)).not.toThrow();
        expect(row.turns?.length).toBe(raw.messages.length);
      }),
    );
  });
});

/** Each would take exponential or quadratic time, or memory, if something in it were not bounded. */
const BOMBS: Readonly<Record<string, string>> = {
  'nested loops': `${'for i in 1 2 3 4 5 6 7 8; do '.repeat(30)} true; ${'done;'.repeat(30)}`,
  'a variable that doubles itself': `x=aaaaaaaaaaaaaaaa\n${'x=$x$x$x$x\n'.repeat(200)}echo ${'$x'.repeat(5000)}`,
  'shells in shells': `x='bash -c "$x"; '\n${'bash -c "$x$x$x$x"; '.repeat(300)}`,
  'open brackets': '('.repeat(200_000),
  'open substitutions': '$('.repeat(100_000),
  'open quotes': `"'`.repeat(100_000),
  'many commands': 'git log; '.repeat(30_000),
  'a long word': 'a'.repeat(1_000_000),
  heredocs: 'cat <<A\n'.repeat(10_000),
  'a string that doubles itself': `python - <<E\nx = 'aaaaaaaa'\n${'x = x + x\n'.repeat(200)}open(x)\nE`,
  'calls in calls': `python -c "${'f('.repeat(20_000)}"`,
  'sums of strings': `python - <<E\nopen(${"'a' + ".repeat(5000)}'b')\nE`,
};

describe('what would take for ever', () => {
  test.each(Object.entries(BOMBS))('%s is read to an end', (_, text) => {
    const actions = acted('bash', JSON.stringify({ command: text }));
    expect(actions.length).toBeGreaterThan(0);
    expect(actions.length).toBeLessThanOrEqual(ACTS_MAX);
  });

  test.each([
    '\\boxed{'.repeat(30_000),
    `answer is${' '.repeat(200_000)}`,
    '<answer>'.repeat(25_000),
    '<tool_call>{'.repeat(20_000),
    '```bash\n'.repeat(20_000),
    `+++ b/x.js\n@@ -1 +1 @@\n${`+${'\\"'.repeat(5000)}\n`.repeat(200)}`,
    `--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n${'+((((((((((\n'.repeat(20_000)}`,
    'exit code '.repeat(50_000),
  ])('%.20s… is read to an end', (text) => {
    expect(changesOf(text).length).toBeLessThan(2);
    expect(markedAnswers(text).length).toBeLessThanOrEqual(200);
    expect(callsInText(text).length).toBeLessThanOrEqual(ACTS_MAX);
    expect(readReply(text).exitCode).toBeNull();
  });
});
