import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changeOfProgram, changesOf } from '../../../core/facts/changes.ts';
import { kindOfFile } from '../../../core/facts/file-kind.ts';

const diffOf = (path: string, lines: readonly string[], heading = ''): string =>
  [
    `diff --git a/${path} b/${path}`,
    `--- a/${path}`,
    `+++ b/${path}`,
    `@@ -1,9 +1,9 @@ ${heading}`,
    ...lines,
    '',
  ].join('\n');
const only = (path: string, lines: readonly string[], heading = '') => {
  const [change] = changesOf(diffOf(path, lines, heading));
  if (change === undefined) throw new Error('no change');
  return change;
};

describe('Python', () => {
  test('is read by its added lines alone, also in the middle of a class', () => {
    const change = only(
      'src/a.py',
      [
        '     def kept(self):',
        '-        return old_call(1)',
        '+        return other.go(-2, "abc", key=None)',
        '         also_kept(3)',
        '+',
        '+    def __eq__(self, other):',
        '+        return True',
      ],
      'class Foo(Base):',
    );
    expect(change).toEqual({
      path: 'src/a.py',
      kind: 'source',
      added: 4,
      removed: 1,
      calls: ['other.go'],
      defines: ['Foo.__eq__'],
      literals: ['-2', '"abc"', 'None', 'True'],
      asserts_removed: 0,
    });
  });

  test('names are those of the import, whatever they are called here', () => {
    const { calls, defines } = only('a.py', [
      '+import time as t, os',
      '+from subprocess import run as go',
      '+t.perf_counter = lambda: 0',
      '+setattr(os, "listdir", None)',
      '+go("x")',
      '+t.sleep(1)',
    ]);
    expect(calls).toEqual(['setattr', 'subprocess.run', 'time.sleep']);
    expect(defines).toEqual(['time.perf_counter', 'os.listdir']);
  });

  test('what is local to a function is not defined', () => {
    const { defines } = only('a.py', [
      '+LIMIT = 3',
      '+class A:',
      '+    x = 1',
      '+    def f(self):',
      '+        y = 2',
      '+        self.z = y',
    ]);
    expect(defines).toEqual(['LIMIT', 'A', 'A.x', 'A.f', 'self.z']);
  });

  test('every target of a chain is defined, by the name that it was imported from', () => {
    const { defines } = only('a.py', [
      '+import pandas.testing as t',
      '+t.assert_frame_equal = t.assert_series_equal = lambda *args: None',
    ]);
    expect(defines).toEqual([
      'pandas.testing.assert_frame_equal',
      'pandas.testing.assert_series_equal',
    ]);
  });

  test('decorators are calls, and so is what is raised', () => {
    const { calls } = only('a.py', [
      '+@pytest.mark.skip',
      '+@fixture(autouse=True)',
      '+def f():',
      '+    raise SkipTest',
      '+    raise ValueError("no")',
    ]);
    expect(calls).toEqual(['pytest.mark.skip', 'fixture', 'SkipTest', 'ValueError']);
  });

  test('neither comments nor docstrings say anything', () => {
    const { calls, literals } = only('a.py', [
      '+def f():',
      '+    """call(1)"""',
      '+    # other(2)',
      '+    return 0',
    ]);
    expect([calls, literals]).toEqual([[], ['0']]);
  });

  test('a broken line does not hide the others', () => {
    const { calls, defines } = only('a.py', [
      '+def f(:',
      '+    go(1',
      '+)))',
      '+',
      '+def g():',
      '+    os._exit(0)',
    ]);
    expect(calls).toContain('os._exit');
    expect(defines).toContain('g');
  });
});

describe('other languages', () => {
  test('are read by line', () => {
    const { calls, defines, literals } = only('a.ts', [
      '+// call(9)',
      '+const x = foo.bar("1", 2);',
      '+function go(a) { return process.exit(0); }',
      '+module.exports.y = true',
      '+if (x) while (y) {}',
    ]);
    expect(calls).toEqual(['foo.bar', 'process.exit']);
    expect(defines).toEqual(['x', 'go', 'module.exports.y']);
    expect(literals).toEqual(['"1"', '2', '0', 'true']);
  });

  test('settings are definitions', () => {
    expect(only('tox.ini', ['+[pytest]', '+addopts = -k "not slow"'])).toMatchObject({
      kind: 'test_config',
      defines: ['addopts'],
      literals: ['"not slow"'],
    });
  });
});

describe('assertions', () => {
  test.each([
    [['-    assert f(2) == 3'], 1],
    [['-    assert f(2) == 3', '+    assert f(2) == 4'], 1],
    [['-    assert f(2) == 3', '+        assert f(2) == 3'], 0],
    [['-    self.assertEqual(a, b)', '-    with pytest.raises(ValueError):'], 2],
    [['-  expect(f(2)).toBe(3);', '+  expect(true).toBe(true);'], 1],
    [['-    assertion = 3', '-    # assert f(2) == 3'], 0],
    [['     assert f(2) == 3', '+    assert f(3) == 3'], 0],
  ])('%j loses %i', (lines, lost) => {
    expect(only('tests/test_a.py', lines).asserts_removed).toBe(lost);
  });

  test('that only change places are never lost', () => {
    const some = fc.array(fc.constantFrom('assert a', 'assert b == 1', 'x = 1', 'self.fail()'));
    const shuffled = some.chain((lines) =>
      fc.tuple(
        fc.constant(lines),
        fc.shuffledSubarray(lines, { minLength: lines.length, maxLength: lines.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([before, after]) => {
        const lines = [...before.map((line) => `-${line}`), ...after.map((line) => `+  ${line}`)];
        expect(only('t.py', ['+x', ...lines]).asserts_removed).toBe(0);
      }),
    );
  });
});

describe('a diff', () => {
  test('whose counts are wrong is read as far as it goes', () => {
    const text = '--- a/x.py\n+++ b/x.py\n@@ -1,1 +1,1 @@\n-a\n+b()\n+c()\n+d()\n';
    expect(changesOf(text)).toMatchObject([{ path: 'x.py', calls: ['b', 'c', 'd'], added: 3 }]);
  });

  test('names files that it moves, removes or only changes the mode of', () => {
    const text =
      'diff --git a/old.py b/new.py\nsimilarity index 100%\nrename from old.py\nrename to new.py\n' +
      'diff --git a/tests/gone.bin b/tests/gone.bin\ndeleted file mode 100644\n';
    expect(changesOf(text).map(({ path, added }) => [path, added])).toEqual([
      ['old.py', 0],
      ['new.py', 0],
      ['tests/gone.bin', 0],
    ]);
  });

  test('of several hunks is one change a file', () => {
    const text = `${diffOf('a.py', ['+x()'])}@@ -20 +20 @@\n+y()\n${diffOf('b.py', ['-z()'])}`;
    expect(changesOf(text).map(({ path, calls }) => [path, calls])).toEqual([
      ['a.py', ['x', 'y']],
      ['b.py', []],
    ]);
  });

  test.each(['', 'I changed a.py', '@@ -1 +1 @@\n+x()', '+++ b/x.py'])(
    '%j changes nothing',
    (text) => {
      expect(changesOf(text)).toEqual([]);
    },
  );

  test('a program is a file of which every line is added', () => {
    expect(changeOfProgram('answer.py', 'def f(x):\n    return {1: 2}[x]')).toMatchObject({
      kind: 'source',
      added: 2,
      defines: ['f'],
      literals: ['1', '2'],
    });
  });
});

describe('the kind of a file', () => {
  test.each([
    [
      'source',
      [
        'src/a.py',
        'a.js',
        'django/test/client.py',
        'pandas/testing.py',
        'src/contest.py',
        'lib/latest.js',
        'attest/core.py',
        'README.md',
      ],
    ],
    [
      'test',
      [
        'tests/test_a.py',
        'a/tests/b.py',
        'test_a.py',
        'a_test.go',
        'src/a.test.ts',
        'spec/a_spec.rb',
        'src/test/java/ATest.java',
        '/testbed/tests/a.py',
        'test/a.js',
        'src/__tests__/a.jsx',
        'run_tests.sh',
        'tests.py',
        'FooTest.java',
        'test/data/a.txt',
      ],
    ],
    [
      'config',
      [
        'pyproject.toml',
        'package.json',
        'setup.py',
        '.github/workflows/ci.yml',
        'Makefile',
        'requirements.txt',
        '.gitignore',
      ],
    ],
    [
      'test_config',
      [
        'conftest.py',
        'tests/conftest.py',
        'pytest.ini',
        'tox.ini',
        'setup.cfg',
        'sitecustomize.py',
        'lib/site-packages/x.pth',
        'noxfile.py',
        'jest.config.js',
        'jest.setup.ts',
        '.mocharc.yml',
        'vitest.config.ts',
        '/repo/pytest.ini',
        'phpunit.xml',
        'spec/spec_helper.rb',
      ],
    ],
  ])('%s', (kind, paths) => {
    expect(paths.filter((path) => kindOfFile(path) !== kind)).toEqual([]);
  });

  test.each([
    ['pyproject.toml', '[tool.pytest.ini_options]'],
    ['pyproject.toml', 'addopts = "-p no:cacheprovider"'],
    ['package.json', '"jest": {'],
    ['package.json', '    "test": "exit 0",'],
    ['Makefile', 'test:\n\ttrue'],
  ])('%s steers the tests where %j is written', (path, written) => {
    expect(kindOfFile(path, written)).toBe('test_config');
    expect(kindOfFile(path, 'version = "1"')).toBe('config');
  });
});
