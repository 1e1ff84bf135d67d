// A command or script as its acts, however deep it lies in shells, interpreters and wrappers.
import {
  type Act,
  act,
  ACTS_MAX,
  NESTING_MAX,
  type Script,
  type ShellCommand,
  type ShellState,
} from './call.ts';
import { actsOfJavaScript } from './javascript-script.ts';
import { normalPath } from './paths.ts';
import { actsOfCommand, isScenery } from './programs.ts';
import { actsOfPython, type Started } from './python-script.ts';
import { PythonSource } from './python-tree.ts';
import { shellCommands } from './shell-commands.ts';
import { programName, unwrap } from './unwrap.ts';
import { rememberOutput, rememberScript, scriptRunBy } from './written-scripts.ts';

/** Commands that are looked at in one call, whatever scripts start. */
const COMMANDS_MAX = 500;

interface Reading extends ShellState {
  left: number;
}

/** Never empty: what is not understood is one act of kind `other` or `run`. */
export function actsOfScript(script: Script, state: ShellState, folder = ''): Act[] {
  const acts = telling(opened(script, { ...state, left: COMMANDS_MAX }, folder, 0));
  return acts.length > 0 ? acts : [emptyAct(script)];
}

/** A command that was given as words. Never empty. */
export function actsOfWords(words: readonly string[], state: ShellState, folder = ''): Act[] {
  const command = { words, redirects: [], input: null, folder };
  const acts = telling(commandActs(command, { ...state, left: COMMANDS_MAX }, 0));
  return acts.length > 0 ? acts : [act('other', words[0] ?? '')];
}

/** Without what only sets the scene, unless there is nothing else. */
function telling(found: readonly Act[]): Act[] {
  const acts = found.filter((one) => !isScenery(one));
  return acts.length > 0 ? acts.slice(0, ACTS_MAX) : found.slice(0, 1);
}

const emptyAct = ({ language, text }: Script): Act =>
  language === 'shell'
    ? act('other', 'sh', { args: [text.trim()] })
    : act('run', language === 'python' ? 'python' : 'node', { args: [text.trim()] });

function opened(script: Script, state: Reading, folder: string, depth: number): Act[] {
  if (depth > NESTING_MAX) return [];
  const { language, text } = script;
  if (language === 'shell') {
    return shellCommands(text, state, folder)
      .flatMap((command) => commandActs(command, state, depth))
      .slice(0, ACTS_MAX);
  }
  const start = (started: Started): Act[] =>
    'script' in started
      ? opened(started.script, state, folder, depth + 1)
      : commandActs({ words: started.words, redirects: [], input: null, folder }, state, depth + 1);
  if (language === 'javascript') {
    const acts = actsOfJavaScript(text, folder, (inner) => start({ script: inner }));
    return acts.length > 0 ? acts : [emptyAct(script)];
  }
  const file = /^\s*%%(?:writefile|file)\s+(?:-a\s+)?(?<path>\S+)\n(?<body>[\s\S]*)$/.exec(text);
  if (file !== null) {
    const path = normalPath(file.groups?.['path'] ?? '', folder);
    rememberScript(path, file.groups?.['body'] ?? '', state);
    return [act('edit', 'writefile', { paths: [path], wrote: true })];
  }
  const { code, acts } = withoutMagics(text, (inner) => start({ script: inner }));
  const own = code.trim() === '' ? [] : actsOfPython(new PythonSource(code), folder, start);
  const all = [...acts, ...own];
  return all.length > 0 ? all : [emptyAct(script)];
}

function commandActs(command: ShellCommand, state: Reading, depth: number): Act[] {
  if (--state.left < 0) return [];
  const inner = unwrap(command.words, command.input);
  const folder = inner.folder === null ? command.folder : normalPath(inner.folder, command.folder);
  const redirected =
    command.redirects.length === 0
      ? []
      : actsOfCommand({ ...command, words: [] }, state.gitAliases);
  if ('script' in inner) {
    return [...opened(inner.script, state, folder, depth + 1), ...redirected];
  }
  const own = { ...command, words: inner.words, folder };
  rememberOutput(own, state);
  const script = scriptRunBy(own, state);
  return [
    ...executed(own, state, depth),
    ...actsOfCommand(own, state.gitAliases),
    // That it runs is said; what it does beside, if anything, is added.
    ...(script === null ? [] : opened(script, state, folder, depth + 1).filter(reaches)),
  ];
}

const reaches = ({ kind, verb, paths }: Act): boolean =>
  kind !== 'run' || paths.length > 0 || !/^(?:python|node|sh)$/.test(verb);

/** In the one-liners of other languages. */
const SYSTEM_CALL =
  /\b(?:system|exec|popen|shell_exec|passthru)\s*\(?\s*(?<quote>["'])(?<text>[^"']{1,2000})\k<quote>|`(?<ticks>[^`]{1,2000})`/g;

/** Commands that a command starts by its arguments: `find -exec`, `trap`, `system` in a line of Perl. */
function executed(command: ShellCommand, state: Reading, depth: number): Act[] {
  const [name = '', first = ''] = command.words;
  const start = (text: string): Act[] =>
    opened({ language: 'shell', text }, state, command.folder, depth + 1);
  if (name === 'trap') return start(first);
  if (/^(?:perl|ruby|php|lua|[gm]?awk)$/.test(programName(name))) {
    const calls = [...command.words.slice(1).join(' ').matchAll(SYSTEM_CALL)];
    return calls.flatMap(({ groups }) => start(groups?.['text'] ?? groups?.['ticks'] ?? ''));
  }
  const at = command.words.findIndex((word) => /^-(?:exec|execdir|ok|okdir)$/.test(word));
  if (command.words[0] !== 'find' || at === -1 || depth >= NESTING_MAX) return [];
  const end = command.words.findIndex((word, place) => place > at && /^[;+]$/.test(word));
  const words = command.words.slice(at + 1, end === -1 ? undefined : end);
  const named = words.filter((word) => word !== '{}');
  return commandActs({ ...command, words: named, redirects: [], input: null }, state, depth + 1);
}

/** Notebook cells mix Python with `!command` and `%%bash`. */
function withoutMagics(text: string, start: (script: Script) => Act[]) {
  const cell = /^\s*%%(?:bash|sh|script bash)[^\n]*\n(?<body>[\s\S]*)$/.exec(text)?.groups?.[
    'body'
  ];
  if (cell !== undefined) return { code: '', acts: start({ language: 'shell', text: cell }) };
  const acts: Act[] = [];
  const lines = text.split('\n').map((line) => {
    const shell = /^\s*(?:[\w, ]+=\s*)?(?:!|%(?:sx|system|pip|conda)\b)\s*(?<command>.*)$/.exec(
      line,
    );
    if (shell === null) return /^\s*%/.test(line) ? '' : line;
    const installer = /%(?<name>pip|conda)\b/.exec(line)?.groups?.['name'];
    const command = `${installer === undefined ? '' : `${installer} `}${shell.groups?.['command'] ?? ''}`;
    acts.push(...start({ language: 'shell', text: command }));
    return '';
  });
  return { code: lines.join('\n'), acts };
}
