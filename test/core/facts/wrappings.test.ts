// The same act, however it is wrapped, is the same action.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { actionsOf } from '../../../core/facts/actions.ts';
import type { AgentCall } from '../../../core/facts/agent-log.ts';
import type { Action } from '../../../core/schemas/trajectory.ts';

const call = (name: string, fields: object): AgentCall => ({
  id: 'c',
  name,
  arguments: JSON.stringify(fields),
});
const doneBy = (...calls: AgentCall[]): Action[] =>
  actionsOf([
    { role: 'assistant', text: '', calls, replyTo: null },
    { role: 'assistant', text: '', calls: [call('submit', {})], replyTo: null },
  ]).filter(({ kind }) => kind !== 'submit');
const essence = ({ kind, verb, paths, wrote, url }: Action) => ({ kind, verb, paths, wrote, url });

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const inPython = (text: string): string => JSON.stringify(text);

/** Ways to run a shell command; each gives tool and arguments. */
const WRAPPINGS: Readonly<Record<string, (command: string) => AgentCall>> = {
  plain: (command) => call('bash', { command }),
  'another tool': (command) => call('execute_command', { cmd: command, timeout: 30 }),
  'an unknown tool': (command) => call('zorp', { shell_command: command }),
  'a list of words': (command) => call('shell', { command: ['bash', '-lc', command] }),
  'after cd': (command) => call('bash', { command: `cd /testbed && ${command}` }),
  'bash -c': (command) => call('bash', { command: `bash -c ${quote(command)}` }),
  'sh -lc in sh': (command) =>
    call('bash', { command: `sh -lc ${quote(`sh -c ${quote(command)}`)}` }),
  'sudo env timeout': (command) =>
    call('bash', { command: `sudo -E env A=b timeout -s KILL 60 nice -n 5 ${command}` }),
  'an absolute path': (command) => call('bash', { command: `/usr/bin/${command}` }),
  'a heredoc for bash': (command) => call('bash', { command: `bash <<'EOF'\n${command}\nEOF` }),
  'echo to sh': (command) => call('bash', { command: `echo ${quote(command)} | sh` }),
  'a substitution': (command) =>
    call('bash', { command: `out=$(${command}); echo "$out" | wc -l` }),
  'a subshell in a pipe': (command) => call('bash', { command: `( ${command} ) 2>&1 | head -50` }),
  'a branch': (command) => call('bash', { command: `true && ${command} || exit 0; true` }),
  'a function': (command) => call('bash', { command: `run() { ${command}; }; run` }),
  eval: (command) => call('bash', { command: `eval ${quote(command)}` }),
  'subprocess with a shell': (command) =>
    call('python', {
      code: `import subprocess as sp\nprint(sp.run(${inPython(command)}, shell=True))`,
    }),
  'os.system in a heredoc': (command) =>
    call('bash', {
      command: `python3 - <<'PY'\nfrom os import system\nsystem(${inPython(command)})\nPY`,
    }),
  'python -c': (command) =>
    call('terminal', {
      command: `python -c ${quote(`import os; os.popen(${inPython(command)}).read()`)}`,
    }),
  'a list in Python': (command) =>
    call('run_code', {
      language: 'python',
      code: `import subprocess\ncmd = ${JSON.stringify(command.split(' '))}\nsubprocess.check_output(cmd)`,
    }),
  'a notebook': (command) => call('jupyter_execute', { code: `x = 1\n!${command}` }),
  node: (command) =>
    call('bash', {
      command: `node -e ${quote(`require('child_process').execSync(${inPython(command)})`)}`,
    }),
  'quotes within': (command) => call('bash', { command: command.replace(/^(\w)/, `$1""`) }),
  'a script that was written before': (command) =>
    call('bash', {
      command: `cat > /tmp/x.sh <<'E'\n${command}\nE\nchmod +x /tmp/x.sh && /tmp/x.sh`,
    }),
  'a module by its name': (command) =>
    call('bash', {
      command: `python -c ${quote(`__import__('os').system(${inPython(command)})`)}`,
    }),
  'an attribute by its name': (command) =>
    call('python', { code: `import os\ngetattr(os, 'sys' + 'tem')(${inPython(command)})` }),
  exec: (command) =>
    call('python', {
      code: `exec("import os; os.system(${inPython(command).replaceAll('"', "'")})")`,
    }),
  'a program that env finds': (command) => call('bash', { command: `/usr/bin/env -i ${command}` }),
  'a name that is asked for': (command) => {
    const [first = '', ...rest] = command.split(' ');
    return call('bash', { command: `$(command -v ${first}) ${rest.join(' ')}` });
  },
  'an array': (command) => call('bash', { command: `c=(${command}); "\${c[@]}"` }),
  'a trap': (command) => call('bash', { command: `trap ${quote(command)} EXIT` }),
  Perl: (command) => call('bash', { command: `perl -e ${quote(`system("${command}");`)}` }),
  'the background': (command) => call('bash', { command: `nohup ${command} > /dev/null 2>&1 &` }),
  'a case': (command) => call('bash', { command: `case x in *) ${command};; esac` }),
  'a loop': (command) => call('bash', { command: `while true; do ${command}; break; done` }),
  'find -exec': (command) => call('bash', { command: `find . -maxdepth 1 -exec ${command} \\;` }),
  'a virtual environment': (command) =>
    call('bash', { command: `source .venv/bin/activate && poetry run ${command}` }),
  'a container': (command) => call('bash', { command: `docker exec -w /app web ${command}` }),
  'another line of a broken text': (command) =>
    call('bash', { command: `if [ -f x ]; then\n)\n${command}` }),
  'a variable': (command) => {
    const [first = '', ...rest] = command.split(' ');
    return call('bash', { command: `C=${first}; $C ${rest.join(' ')}` });
  },
};

const ACTS: readonly (readonly [string, ReturnType<typeof essence>])[] = [
  ['git log --all', { kind: 'vcs', verb: 'git log', paths: [], wrote: false, url: null }],
  [
    'git show HEAD~2:src/a.py',
    { kind: 'vcs', verb: 'git show', paths: ['src/a.py'], wrote: false, url: null },
  ],
  [
    'pip install django==4.2',
    { kind: 'install', verb: 'pip install', paths: [], wrote: false, url: null },
  ],
  [
    'curl -sSL https://example.org/a.py',
    { kind: 'network', verb: 'curl', paths: [], wrote: false, url: 'https://example.org/a.py' },
  ],
  [
    'rm tests/test_a.py',
    { kind: 'edit', verb: 'rm', paths: ['tests/test_a.py'], wrote: true, url: null },
  ],
  ['cat src/a.py', { kind: 'read', verb: 'cat', paths: ['src/a.py'], wrote: false, url: null }],
  ['grep -rn foo src', { kind: 'search', verb: 'grep', paths: ['src'], wrote: false, url: null }],
  [
    'pytest tests/test_a.py -q',
    { kind: 'test', verb: 'pytest', paths: ['tests/test_a.py'], wrote: false, url: null },
  ],
  [
    'sed -i s/1/2/ setup.cfg',
    { kind: 'edit', verb: 'sed', paths: ['setup.cfg'], wrote: true, url: null },
  ],
];

describe.each(Object.entries(WRAPPINGS))('%s', (_, wrap) => {
  test.each(ACTS)('is %s', (command, expected) => {
    expect(doneBy(wrap(command)).map(essence)).toContainEqual(expected);
  });
});

test('five wrappings in any order and depth give the same action', () => {
  const nested = ['bash -c', 'sh -lc in sh', 'eval', 'echo to sh', 'a heredoc for bash'];
  const act = fc.constantFrom(...ACTS);
  const path = fc.array(fc.constantFrom(...nested), { minLength: 0, maxLength: 3 });
  fc.assert(
    fc.property(act, path, ([command, expected], names) => {
      let text = command;
      for (const name of names) {
        const fields: unknown = JSON.parse(WRAPPINGS[name]?.(text).arguments ?? '{}');
        text = String(Object(fields).command);
      }
      expect(doneBy(call('bash', { command: text })).map(essence)).toContainEqual(expected);
    }),
  );
});

describe('writing a file', () => {
  test.each([
    ['cat > conftest.py <<EOF\nx = 1\nEOF', 'cat'],
    ['cat <<EOF > conftest.py\nx = 1\nEOF', 'cat'],
    ['cat <<EOF | tee conftest.py\nx = 1\nEOF', 'tee'],
    ['echo "x = 1" >> conftest.py', 'echo'],
    ["printf 'x = 1' > ./conftest.py", 'printf'],
    ['tee conftest.py <<< "x = 1"', 'tee'],
    ['cp /tmp/c.py conftest.py', 'cp'],
    ['mv /tmp/c.py conftest.py', 'mv'],
    ['curl -s https://e.org/c.py -o conftest.py', 'curl'],
    ['sed -i "1i x = 1" conftest.py', 'sed'],
    ['perl -pi -e s/a/b/ conftest.py', 'perl'],
    ['git show HEAD~1:conftest.py > conftest.py', 'git show'],
    ['git checkout HEAD~1 -- conftest.py', 'git checkout'],
    [': > conftest.py', '>'],
    ["python -c \"open('conftest.py', 'w').write('x = 1')\"", 'open'],
    [
      "python - <<E\nfrom pathlib import Path\nPath('conftest.py').write_text('x')\nE",
      'write_text',
    ],
    [
      "python - <<E\np = './' + 'conftest.py'\nwith open(p, mode='a') as f:\n    f.write('x')\nE",
      'open',
    ],
    [
      'python - <<E\nimport os, shutil\nshutil.copy("/tmp/c.py", os.path.join(".", "conftest.py"))\nE',
      'shutil.copy',
    ],
    ["node -e \"require('fs').writeFileSync('conftest.py', 'x')\"", 'writefilesync'],
    ['git apply <<E\n--- a/conftest.py\n+++ b/conftest.py\n@@ -1 +1 @@\n-a\n+b\nE', 'git apply'],
    [
      'apply_patch <<E\n*** Begin Patch\n*** Add File: conftest.py\n+x\n*** End Patch\nE',
      'apply_patch',
    ],
    ['patch -p1 <<E\n--- a/conftest.py\n+++ b/conftest.py\n@@ -1 +1 @@\n-a\n+b\nE', 'patch'],
  ])('%s', (command, verb) => {
    const writes = doneBy(call('bash', { command })).filter(({ wrote }) => wrote);
    expect(writes.map((one) => one.paths.includes('conftest.py'))).toContain(true);
    const known = verb === '>' ? ['>', ':'] : [verb];
    expect(known).toContain(writes.at(-1)?.verb);
  });

  test.each([
    'cat conftest.py',
    'cp conftest.py /tmp/c.py',
    'pytest conftest.py > /tmp/out.txt',
    'grep x conftest.py',
    'python -c "print(open(\'conftest.py\').read())"',
    'git diff -- conftest.py',
    'git add conftest.py',
    'echo conftest.py',
    'git commit -m "rm conftest.py > x"',
  ])('is not %s', (command) => {
    const writes = doneBy(call('bash', { command })).filter(({ wrote }) => wrote);
    expect(writes.filter(({ paths }) => paths.includes('conftest.py'))).toEqual([]);
  });
});
