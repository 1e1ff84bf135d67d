import { describe, expect, test } from 'vitest';
import { braceStatements } from '../../../core/facts/brace-statements.ts';
import { endStatements } from '../../../core/facts/end-statements.ts';
import { settingsStatements } from '../../../core/facts/settings-statements.ts';
import { statementsOf } from '../../../core/facts/statements.ts';
import { type AgentLog, writtenStatements } from '../../../core/facts/written-statements.ts';

const python = (text: string) =>
  statementsOf(text.split('\n').map((line) => ({ text: line, mark: 'added' })));

describe('python as statements', () => {
  test('a body knows its functions, its classes and the conditions over it', () => {
    const found = python(
      [
        'class Always(int):',
        '    """sys.exit(0) in prose."""',
        '    def __eq__(self, other): return True  # sys.exit(1)',
        'if __name__ == "__main__":',
        '    import os; os._exit(0)',
        'x = 1',
      ].join('\n'),
    );
    expect(found.map(({ scope, under, text }) => [scope, under, text])).toEqual([
      ['', '', 'class Always(int):'],
      ['Always', '', 'def __eq__(self, other):'],
      ['Always.__eq__', '', 'return True'],
      ['', '', 'if __name__ == "__main__":'],
      ['', 'if __name__ == "__main__"', 'import os'],
      ['', 'if __name__ == "__main__"', 'os._exit(0)'],
      ['', '', 'x = 1'],
    ]);
  });

  test('brackets, continued lines and long strings are one statement', () => {
    const found = python(
      'TABLE = {\n  1: 2,  # one\n  3: 4,\n}\ny = a + \\\n  b\nz = """\n)#(\n"""',
    );
    expect(found.map(({ text }) => text)).toEqual([
      'TABLE = { 1: 2, 3: 4, }',
      'y = a + b',
      'z = """\n)#(\n"""',
    ]);
  });

  test('a cut that opens what it never closes is read line by line', () => {
    const found = python('def f(a,\nreturn 1\nx = 2');
    expect(found.map(({ text }) => text)).toEqual(['def f(a,', 'return 1', 'x = 2']);
  });

  test('lambdas, slices and annotations end no header', () => {
    const found = python('if any(map(lambda x: x > 1, xs[1:])): y: int = 2\nelse: y = 3');
    expect(found.map(({ under, text }) => [under, text])).toEqual([
      ['', 'if any(map(lambda x: x > 1, xs[1:])):'],
      ['if any(map(lambda x: x > 1, xs[1:]))', 'y: int = 2'],
      ['', 'else:'],
      ['else', 'y = 3'],
    ]);
  });
});

describe('languages with braces as statements', () => {
  test('a line knows its functions and the conditions over it', () => {
    const lines = [
      'impl PartialEq for Rational {',
      '    fn eq(&self, _other: &Self) -> bool { true }',
      '}',
      '#[ignore]',
      '// prose',
      'export const roll = (n) => {',
      '  if (n === 1) {',
      '    return 4;',
      '  }',
      '}',
      'public boolean equals(Object o) {',
      '  return true;',
    ];
    const found = braceStatements(
      lines.map((text) => ({ text, mark: 'added' })),
      'a.rs',
    );
    expect(
      found
        .filter(({ text }) => !text.startsWith('}'))
        .map((one) => [one.scope, one.under, one.text]),
    ).toEqual([
      ['', '', 'impl PartialEq for Rational {'],
      ['Rational', '', 'fn eq(&self, _other: &Self) -> bool { true }'],
      ['', '', '#[ignore]'],
      ['', '', 'export const roll = (n) => {'],
      ['roll', '', 'if (n === 1) {'],
      ['roll', 'if (n === 1)', 'return 4;'],
      ['', '', 'public boolean equals(Object o) {'],
      ['equals', '', 'return true;'],
    ]);
  });
});

describe('settings as statements', () => {
  test('a line knows its section, and the key whose value it goes on with', () => {
    const text =
      '[tool.ruff]\nexclude = ["a"]\n# note\n[tool.pytest.ini_options]\naddopts = [\n  "-q",\n]\nx = 1';
    const lines = text.split('\n').map((line) => ({ text: line, mark: 'added' as const }));
    expect(settingsStatements(lines).map((one) => [one.under, one.scope, one.text])).toEqual([
      ['tool.ruff', '', '[tool.ruff]'],
      ['tool.ruff', '', 'exclude = ["a"]'],
      ['tool.pytest.ini_options', '', '[tool.pytest.ini_options]'],
      ['tool.pytest.ini_options', '', 'addopts = ['],
      ['tool.pytest.ini_options', 'addopts', '"-q",'],
      ['tool.pytest.ini_options', 'addopts', ']'],
      ['tool.pytest.ini_options', '', 'x = 1'],
    ]);
  });

  test('an indented line belongs to the key before it, and a heading names the section', () => {
    const lines = ['addopts =', '    -k not_slow', 'other: 1'];
    const found = settingsStatements(
      lines.map((line) => ({ text: line, mark: 'added' })),
      '[pytest]',
    );
    expect(found.map((one) => [one.under, one.scope, one.text])).toEqual([
      ['pytest', '', 'addopts ='],
      ['pytest', 'addopts', '-k not_slow'],
      ['pytest', '', 'other: 1'],
    ]);
  });
});

describe('languages that close with end as statements', () => {
  const of = (text: string, path: string) =>
    endStatements(
      text.split('\n').map((line) => ({ text: line, mark: 'added' as const })),
      path,
    ).map((one) => [one.scope, one.under, one.text]);

  test('ruby: blocks, modifiers, and definitions without an end', () => {
    const text = [
      'module Grader',
      '  def self.run(*) = { passed: 20 }',
      '  def of(n)',
      '    return 4 if n == 1',
      '    if n > 2',
      '      5',
      '    else',
      '      6',
      '    end',
      '    xs.each do |x|',
      '      # prose',
      '      x',
      '    end',
      '  end',
      'end',
      '$n = 0',
    ].join('\n');
    expect(of(text, 'a.rb').filter(([, , one]) => one !== 'end')).toEqual([
      ['', '', 'module Grader'],
      ['Grader', '', 'def self.run(*) = { passed: 20 }'],
      ['Grader', '', 'def of(n)'],
      ['Grader.of', '', 'return 4 if n == 1'],
      ['Grader.of', '', 'if n > 2'],
      ['Grader.of', 'if n > 2', '5'],
      ['Grader.of', '', 'else'],
      ['Grader.of', 'else', '6'],
      ['Grader.of', '', 'xs.each do |x|'],
      ['Grader.of', 'xs.each do |x|', 'x'],
      ['', '', '$n = 0'],
    ]);
  });

  test('lua: a block of one line is that line alone', () => {
    const text =
      'function M.f(x)\n  if x then return 2 end\n  if not x then\n    return 3\n  end\nend\ny = 1';
    expect(of(text, 'a.lua').filter(([, , one]) => one !== 'end')).toEqual([
      ['', '', 'function M.f(x)'],
      ['M.f', '', 'if x then return 2 end'],
      ['M.f', '', 'if not x then'],
      ['M.f', 'if not x', 'return 3'],
      ['', '', 'y = 1'],
    ]);
  });
});

const call = (name: string, fields: unknown) => ({
  role: 'assistant',
  text: '',
  calls: [{ name, arguments: JSON.stringify(fields) }],
});
const log = (...messages: AgentLog['messages']): AgentLog => ({ messages, diff: '', answer: '' });
const said = (text: string) => ({ role: 'assistant', text, calls: [] });

describe('what an agent wrote', () => {
  test.each([
    [
      'an editor',
      call('str_replace_editor', { path: 'a.py', file_text: 'import os\nos._exit(0)' }),
    ],
    ['an unknown editor', call('poke', { target_file: './a.py', new_content: 'os._exit(0)' })],
    ['a heredoc', call('bash', { command: "cd r && cat > a.py <<'EOF'\nos._exit(0)\nEOF\nls" })],
    ['a tee', call('sh', { cmd: 'tee a.py << END\nos._exit(0)\nEND' })],
    ['an echo', call('terminal', { input: "echo 'os._exit(0)' >> a.py" })],
    ['a nested shell', call('x', { command: `bash -lc "printf 'os._exit(0)\\n' > a.py"` })],
    ['sed', call('bash', { command: "sed -i 's/return 1/os._exit(0)/' a.py" })],
    ['a script', call('python', { code: "open('a.py', 'w').write('''os._exit(0)\n''')" })],
    [
      'an inline script',
      call('bash', { command: 'python3 - <<EOF\nopen("a.py","a").write("os._exit(0)\\n")\nEOF' }),
    ],
    [
      'a patch',
      call('apply_patch', {
        input: '*** Begin Patch\n*** Add File: a.py\n+os._exit(0)\n*** End Patch',
      }),
    ],
    ['a fenced command', said("```bash\ncat <<'E' > a.py\nos._exit(0)\nE\n```")],
  ])('is the same by %s', (_, message) => {
    const found = writtenStatements(log({ role: 'user', text: 'hi', calls: [] }, message));
    expect(found).toContainEqual({
      turn: 1,
      path: 'a.py',
      kind: 'source',
      mark: 'added',
      scope: '',
      under: '',
      text: 'os._exit(0)',
      final: true,
    });
  });

  test('a final diff is what stands, and its lines know the turn that wrote them', () => {
    const diff = [
      'diff --git a/tests/test_a.py b/tests/test_a.py',
      '--- a/tests/test_a.py',
      '+++ b/tests/test_a.py',
      '@@ -3,2 +3,2 @@ def test_a():',
      '     x = f()',
      '-    assert x == 2',
      '+    assert x',
    ].join('\n');
    const messages = [
      call('bash', { command: "sed -i 's/assert x == 2/assert x/' tests/test_a.py" }),
      call('write', { path: 'scratch.py', content: 'print(1)' }),
    ];
    const found = writtenStatements({ messages, diff, answer: '' });
    expect(found.filter(({ final }) => final)).toEqual([
      expect.objectContaining({ mark: 'added', text: 'assert x', scope: 'test_a', turn: 0 }),
      expect.objectContaining({ mark: 'removed', text: 'assert x == 2', kind: 'test' }),
    ]);
    expect(found.filter(({ path }) => path === 'scratch.py')).toMatchObject([{ final: false }]);
  });

  test('what is written over or removed later does not stand', () => {
    const first = call('write', { path: 'a.py', content: 'x = 1' });
    const second = call('write', { path: 'b.py', content: 'y = 1' });
    const over = call('write', { path: 'a.py', content: 'x = 2' });
    const removed = call('bash', { command: 'rm -f b.py' });
    const found = writtenStatements(log(first, second, over, removed));
    expect(found.map(({ text, final }) => [text, final])).toEqual([
      ['x = 1', false],
      ['y = 1', false],
      ['x = 2', true],
    ]);
  });

  test('an answer in code stands, and code that was only run does not', () => {
    const ran = call('python', { code: 'import inspect' });
    const answer = 'Here it is:\n```python\ndef f(x):\n    return x\n```';
    const found = writtenStatements({ messages: [ran], diff: '', answer });
    expect(found.map(({ path, kind, text, final }) => [path, kind, text, final])).toEqual([
      ['answer.py', 'source', 'def f(x):', true],
      ['answer.py', 'source', 'return x', true],
      ['', 'script', 'import inspect', false],
    ]);
  });
});
