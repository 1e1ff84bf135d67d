// Scripts that an agent writes to a file and runs later: what such a run does, it says in the file.
import type { Script, ShellCommand, ShellState } from './call.ts';
import { TEXT_MAX } from './call.ts';
import { normalPath } from './paths.ts';
import { programName } from './unwrap.ts';

const SCRIPTS_MAX = 100;

export function rememberScript(path: string, text: string, { root, scripts }: ShellState): void {
  if (scripts.size >= SCRIPTS_MAX && !scripts.has(path)) return;
  scripts.set(withoutRoot(path, root), text.slice(0, TEXT_MAX));
}

/** What a command writes by redirection or by tee: its input, or what echo prints. */
export function rememberOutput(command: ShellCommand, state: ShellState): void {
  const { words, redirects, input, folder } = command;
  const [name, ...args] = words;
  const targets = redirects.filter(({ writes }) => writes).map(({ path }) => path);
  if (name === 'tee') targets.push(...args.map((path) => normalPath(path, folder)));
  const isPrinted = name === 'echo' || name === 'printf';
  const text = isPrinted ? args.join(' ').replaceAll('\\n', '\n') : input;
  if (text === null || (!isPrinted && name !== 'cat' && name !== 'tee')) return;
  for (const path of targets) rememberScript(path, text, state);
}

/** The script that a command runs, where the agent wrote it before. */
export function scriptRunBy({ words, folder }: ShellCommand, state: ShellState): Script | null {
  const [first = '', ...rest] = words;
  const name = programName(first);
  const isInterpreter = /^(?:python|ipython|node|(?:ba|z|da|k)?sh|source|\.)$/.test(name);
  const path = isInterpreter ? rest.find((word) => !word.startsWith('-')) : first;
  if (path === undefined || (!isInterpreter && !path.includes('/'))) return null;
  const text = state.scripts.get(withoutRoot(normalPath(path, folder), state.root));
  if (text === undefined) return null;
  return { language: languageOf(name, path, text), text };
}

function languageOf(name: string, path: string, text: string): Script['language'] {
  if (name.endsWith('python')) return 'python';
  if (name === 'node') return 'javascript';
  if (/^#!.*python/.test(text)) return 'python';
  return path.endsWith('.py') && !/^#!.*sh\b/.test(text) && !/sh$|^source$|^\.$/.test(name)
    ? 'python'
    : 'shell';
}

const withoutRoot = (path: string, root: string): string =>
  root !== '' && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
