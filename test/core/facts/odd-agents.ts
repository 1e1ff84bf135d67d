// Trajectories of agents that nobody has seen: other names, other forms, other detours.
import { type Agent, reply, says, user, writes } from './agent.ts';

export const ODD_AGENTS: readonly Agent[] = [
  {
    name: 'a function_call of the old kind',
    messages: [
      user('fix'),
      {
        role: 'assistant',
        content: '',
        function_call: { name: 'run', arguments: '{"cmd": "make check"}' },
      },
      { role: 'function', name: 'run', content: 'ok' },
    ],
    acts: ['1 test make'],
  },
  {
    name: 'calls in tags with JSON',
    messages: [
      user('fix'),
      writes(
        '<tool_call>\n{"name": "terminal", "arguments": {"command": "curl -O https://e.org/a.py"}}\n</tool_call>',
      ),
      user('saved'),
      writes('<tool_call>{"name": "file_viewer", "arguments": {"path": "a.py"}}</tool_call>'),
    ],
    acts: ['1 network curl', '3 read file_viewer a.py'],
  },
  {
    name: 'calls in tags with parameters',
    messages: [
      user('fix'),
      writes(
        'I look.\n<function=str_replace_editor>\n<parameter=command>view</parameter>\n<parameter=path>src/a.py</parameter>\n</function>',
      ),
      user('x'),
      writes(
        '<function=execute_bash>\n<parameter=command>\ntox -e py311\n</parameter>\n</function>',
      ),
    ],
    acts: ['1 read str_replace_editor src/a.py', '3 test tox'],
  },
  {
    name: 'names that say nothing',
    messages: [
      user('fix'),
      says(['frob', { path: 'src/a.py', content: 'y' }]),
      says(['zap', { path: 'src/a.py' }]),
      says(['blick', { query: 'foo' }]),
      says(['qux', { path: 'src', pattern: 'foo' }]),
      says(['morf', { path: 'src/a.py', old: 'x', new: 'y', old_text: 'x', new_text: 'y' }]),
      says(['plim', { command: 'pytest' }]),
      says(['krel', { code: 'import os\nos.remove("tests/test_a.py")' }]),
      says(['wump', { diff: '--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1 @@\n-x\n+y\n' }]),
      says(['nix', {}]),
    ],
    acts: [
      '1 edit frob !src/a.py',
      '2 read zap src/a.py',
      '3 search blick',
      '4 search qux src',
      '5 edit morf !src/a.py',
      '6 test pytest',
      '7 edit os.remove !tests/test_a.py',
      '8 edit wump !src/a.py',
      '9 submit nix',
    ],
  },
  {
    name: 'names of a protocol and in camel case',
    messages: [
      user('fix'),
      says(['mcp__files__readFile', { path: 'src/a.py' }]),
      says(['functions.runTests', {}]),
      says(['default_api:gitLog', { n: 3 }]),
      says(['NotebookEdit', { notebook_path: 'a.ipynb', new_source: 'x' }]),
      says(['listSymbols', { pattern: 'foo' }]),
      says(['send_input', { text: 'y' }]),
      says(['mcp__agent__finishTask', { outcome: 'ok' }]),
    ],
    acts: [
      '1 read read_file src/a.py',
      '2 test run_tests',
      '3 vcs git log',
      '4 edit notebook_edit !a.ipynb',
      '5 search list_symbols',
      '6 other send_input',
      '7 submit finish_task',
    ],
  },
  {
    name: 'tools for version control',
    messages: [
      user('fix'),
      says(['git_log', { max_count: 5 }]),
      says(['git', { args: 'show HEAD~1 -- src/a.py' }]),
      says(['git_command', { command: 'git blame src/a.py' }]),
      says(['view_commit_history', { file: 'src/a.py' }]),
      says(['git_diff', {}]),
    ],
    acts: [
      '1 vcs git log',
      '2 vcs git show src/a.py',
      '3 vcs git blame src/a.py',
      '4 vcs view_commit_history src/a.py',
      '5 vcs git diff',
    ],
  },
  {
    name: 'tools for tests and packages',
    messages: [
      user('fix'),
      says(['run_tests', { test_files: ['tests/test_a.py'] }]),
      says(['pytest', { path: 'tests' }]),
      says(['install_package', { package: 'foo' }]),
      says(['run_tests', {}]),
    ],
    acts: [
      '1 test run_tests',
      '2 test pytest tests',
      '3 install install_package',
      '4 test run_tests',
    ],
  },
  {
    name: 'keystrokes into a terminal',
    messages: [
      user('fix'),
      says(['terminal', { keystrokes: 'cd src\ncat a.py\n', duration: 1 }]),
      says(['run_code', { language: 'bash', code: 'wget https://e.org/x.tar.gz' }]),
      says([
        'run_code',
        { language: 'python', code: 'import requests as r\nr.get("https://e.org/x")' },
      ]),
      says(['execute', { script: '#!/bin/sh\nset -e\ntouch tests/__init__.py' }]),
      says(['computer', { action: 'wait' }]),
    ],
    acts: [
      '1 read cat src/a.py',
      '2 network wget',
      '3 network requests.get',
      '4 edit touch !tests/__init__.py',
      '5 other computer',
    ],
  },
  {
    name: 'many files at once',
    messages: [
      user('fix'),
      says(['multi_edit', { path: 'src/a.py', edits: [{ old_text: 'x', new_text: 'y' }] }]),
      says([
        'write_files',
        {
          files: [
            { path: 'a.py', content: '1' },
            { path: 'b.py', content: '2' },
          ],
        },
      ]),
      says(['rename_file', { old_path: 'tests/a.py', new_path: 'a.py' }]),
      says(['bash', { commands: ['cd src && ls', 'git stash list'] }]),
    ],
    acts: [
      '1 edit multi_edit !src/a.py',
      '2 edit write_files !a.py !b.py',
      '3 edit rename_file !tests/a.py !a.py',
      '4 search ls',
      '4 vcs git stash',
    ],
  },
  {
    name: 'a script that is written in one call and run in another',
    messages: [
      user('fix'),
      says(['create_file', { path: '/tmp/check.sh', content: '#!/bin/sh\ngit log -p --all\n' }]),
      says(['bash', { command: 'chmod +x /tmp/check.sh && /tmp/check.sh' }]),
      says(['bash', { command: "cat > look.py <<'E'\nimport os\nos.system('git reflog')\nE" }]),
      says(['bash', { command: 'python look.py' }]),
    ],
    acts: [
      '1 edit create_file !/tmp/check.sh',
      '2 other chmod /tmp/check.sh',
      '2 run check.sh /tmp/check.sh',
      '2 vcs git log',
      '3 edit cat !look.py',
      '4 run python look.py',
      '4 vcs git reflog',
    ],
  },
  {
    name: 'magics of a notebook, and a variable from the call before',
    messages: [
      user('fix'),
      says(['run_cell', { code: '%%writefile tests/test_a.py\nassert True' }]),
      says(['run_cell', { code: '%pip install -q foo' }]),
      says(['run_cell', { code: '%%bash\npwd\nV=git' }]),
      says(['run_cell', { code: '!$V log --all' }]),
      says(['run_cell', { code: '%%bash\nexec 3<>/dev/tcp/e.org/80\nhead <&3' }]),
    ],
    acts: [
      '1 edit writefile !tests/test_a.py',
      '2 install pip install',
      '3 other pwd',
      '4 vcs git log',
      '5 network /dev/tcp',
    ],
  },
  {
    name: 'an alias that is set in one call and used in another',
    messages: [
      user('fix'),
      says(['bash', { command: "git config --global alias.st 'log --all -p'" }]),
      says(['bash', { command: 'git st' }]),
    ],
    acts: ['1 vcs git config', '2 vcs git log'],
  },
  {
    name: 'several calls a message, replies out of order and one missing',
    messages: [
      user('fix'),
      says(
        ['bash', { command: 'false' }],
        ['bash', { command: 'ls nope' }],
        ['bash', { command: 'pytest' }],
      ),
      reply('call_bash_1', "ls: cannot access 'nope': No such file or directory"),
      reply('call_bash_0', '(no output)\n[The command completed with exit code 1.]'),
    ],
    acts: ['1 other false', '1 search ls nope', '1 test pytest'],
  },
  {
    name: 'no call at all',
    messages: [
      { role: 'system', content: 'You are careful.' },
      user('fix'),
      writes('I ran `git log`.'),
    ],
    acts: [],
  },
];
