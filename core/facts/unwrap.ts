// Commands that only start other commands, taken off: what is left is a command, or a script in some language.
import type { Script } from './call.ts';

type Language = Script['language'];

export type Unwrapped =
  | { readonly words: readonly string[]; readonly folder: string | null }
  | { readonly script: Script; readonly folder: string | null };

interface Wrapper {
  /** Short options that take the next word. */
  readonly valued?: string;
  /** Long options that take the next word. */
  readonly long?: readonly string[];
  /** Words of its own before the command. */
  readonly skip?: number;
  /** An option that belongs to what follows. */
  readonly until?: string;
}

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  sudo: { valued: 'ugpChrtTDR', long: ['user', 'group', 'prompt', 'chdir', 'host'] },
  doas: { valued: 'uC' },
  timeout: { valued: 'sk', long: ['signal', 'kill-after'], skip: 1 },
  gtimeout: { valued: 'sk', long: ['signal', 'kill-after'], skip: 1 },
  nice: { valued: 'n', long: ['adjustment'] },
  ionice: { valued: 'cnp' },
  nohup: {},
  time: { valued: 'fo' },
  stdbuf: { valued: 'ioe' },
  setsid: {},
  command: {},
  builtin: {},
  exec: { valued: 'a' },
  xargs: { valued: 'IiLnPsdaE', long: ['max-args', 'max-procs', 'delimiter', 'arg-file'] },
  parallel: { valued: 'jN' },
  strace: { valued: 'efopsauEIPSX' },
  ltrace: { valued: 'efopsau' },
  watch: { valued: 'n', long: ['interval'] },
  flock: { valued: 'wE', skip: 1 },
  taskset: { skip: 1 },
  chrt: { skip: 1 },
  unbuffer: {},
  chronic: {},
  busybox: {},
  winpty: {},
  'xvfb-run': { valued: 'nsefpw' },
  proxychains: { valued: 'f' },
  proxychains4: { valued: 'f' },
};

/** Programs with a sub-command that runs another command: `poetry run`, `docker exec CONTAINER`. */
const RUNNERS: Readonly<Record<string, Readonly<Record<string, Wrapper>>>> = {
  uv: { run: { valued: 'p', long: ['with', 'python', 'extra', 'group', 'project', 'directory'] } },
  uvx: { '': { long: ['from', 'with', 'python'] } },
  poetry: { run: {} },
  pipenv: { run: {} },
  pdm: { run: {} },
  rye: { run: {} },
  hatch: { run: {} },
  pixi: { run: { valued: 'e' } },
  conda: { run: { valued: 'np', long: ['name', 'prefix', 'cwd'] } },
  mamba: { run: { valued: 'np', long: ['name', 'prefix', 'cwd'] } },
  micromamba: { run: { valued: 'np', long: ['name', 'prefix', 'cwd'] } },
  npx: { '': { valued: 'p', long: ['package'] } },
  bunx: { '': {} },
  pnpm: { exec: {}, dlx: {} },
  yarn: { exec: {}, dlx: {} },
  npm: { exec: {}, x: {} },
  bundle: { exec: {} },
  pipx: { run: { long: ['spec'] } },
  docker: { exec: { valued: 'uwe', long: ['user', 'workdir', 'env', 'env-file'], skip: 1 } },
  podman: { exec: { valued: 'uwe', long: ['user', 'workdir', 'env'], skip: 1 } },
  kubectl: { exec: { valued: 'nc', long: ['namespace', 'container'], skip: 1 } },
  coverage: { run: { long: ['source', 'omit', 'include', 'rcfile', 'context'], until: '-m' } },
  dotenv: { run: { valued: 'f' } },
};

const SHELL = /^(?:ba|z|da|k|a|fi)?sh$/;
const PYTHON = /^(?:i?python|pypy)[\d.]*$/;
const JAVASCRIPT = /^(?:node|nodejs|bun|deno|tsx|ts-node)$/;
const WRAPPINGS_MAX = 16;

/** `/usr/bin/python3.11` is `python`. */
export function programName(word: string): string {
  const name = (word.split('/').at(-1) ?? word).toLowerCase().replace(/\.(?:exe|cmd|bat)$/, '');
  if (PYTHON.test(name)) return name.startsWith('ipython') ? 'ipython' : 'python';
  return /^pip[\d.]+$/.test(name) ? 'pip' : name;
}

export function unwrap(all: readonly string[], input: string | null): Unwrapped {
  let words = all;
  let folder: string | null = null;
  for (let depth = 0; depth < WRAPPINGS_MAX; depth++) {
    const inner = unwrapOnce(words, input);
    if (inner === null) break;
    folder = inner.folder ?? folder;
    if ('script' in inner) return { script: inner.script, folder };
    words = inner.words;
  }
  return { words, folder };
}

function unwrapOnce(words: readonly string[], input: string | null): Unwrapped | null {
  const [first = '', ...rest] = words;
  // `A=b command` as words: env, or what another wrapper hands on.
  if (/^[A-Za-z_]\w*=/.test(first) && rest.length > 0) return { words: rest, folder: null };
  const name = programName(first);
  if (name === 'env') return unwrapEnv(rest);
  const wrapper = WRAPPERS[name];
  if (wrapper !== undefined) return inner(commandAfter(rest, wrapper));
  const runner = RUNNERS[name];
  if (runner !== undefined) {
    const whole = runner[''];
    if (whole !== undefined) return inner(commandAfter(rest, whole));
    const at = rest.findIndex((word) => !word.startsWith('-'));
    const sub = runner[rest[at] ?? ''];
    // What coverage runs is a Python program.
    const python = name === 'coverage' ? ['python'] : [];
    if (sub === undefined) return null;
    return inner([...python, ...commandAfter(rest.slice(at + 1), sub)]);
  }
  if (name === 'eval') return scriptOf('shell', rest.join(' '));
  if (name === 'su' || name === 'script') return afterFlag(rest, /^-\w*c$/, 'shell');
  if (SHELL.test(name)) return ofShell(rest, input);
  if (name === 'python' || name === 'ipython') return ofPython(rest, input);
  if (JAVASCRIPT.test(name)) {
    return (
      afterFlag(rest, /^(?:-\w*[ep]|--eval|--print|eval)$/, 'javascript') ??
      (rest.every((word) => word === '-') ? scriptOf('javascript', input) : null)
    );
  }
  return null;
}

const inner = (words: readonly string[]): Unwrapped | null =>
  words.length === 0 ? null : { words, folder: null };
const scriptOf = (language: Language, text: string | null): Unwrapped | null =>
  text === null || text.trim() === '' ? null : { script: { language, text }, folder: null };

function afterFlag(words: readonly string[], flag: RegExp, language: Language): Unwrapped | null {
  const at = words.findIndex((word) => flag.test(word));
  return at === -1 ? null : scriptOf(language, words[at + 1] ?? null);
}

function commandAfter(words: readonly string[], wrapper: Wrapper): readonly string[] {
  const { valued = '', long = [], skip = 0, until } = wrapper;
  let at = 0;
  for (; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === '--') {
      at++;
      break;
    }
    if (!word.startsWith('-') || word === '-' || word === until) break;
    const takesNext = word.startsWith('--')
      ? long.includes(word.slice(2))
      : word.length === 2 && valued.includes(word.charAt(1));
    if (takesNext) at++;
  }
  const rest = words.slice(at + skip);
  return rest[0] === '--' ? rest.slice(1) : rest;
}

function unwrapEnv(words: readonly string[]): Unwrapped | null {
  let folder: string | null = null;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const split = /^(?:-S|--split-string=?)(.*)$/.exec(word)?.[1];
    if (split !== undefined) return scriptOf('shell', [split, ...words.slice(at + 1)].join(' '));
    if (word === '-C' || word === '--chdir') folder = words[at + 1] ?? null;
    if (/^(?:-[uC]|--unset|--chdir)$/.test(word)) at++;
    else if (!word.startsWith('-') && !/^\w+=/.test(word)) {
      return { words: words.slice(at), folder };
    }
  }
  return null;
}

/** Options may stand apart from `-c`: bash -l -c "…", sh -o pipefail -ec "…". */
function ofShell(words: readonly string[], input: string | null): Unwrapped | null {
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (/^-\w*c\w*$/.test(word)) return scriptOf('shell', words[at + 1] ?? null);
    if (/^[-+]\w*o$/.test(word) || /^--(?:rcfile|init-file)$/.test(word)) at++;
    else if (!/^[-+]/.test(word)) return null;
  }
  return scriptOf('shell', input);
}

function ofPython(words: readonly string[], input: string | null): Unwrapped | null {
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (/^-\w*c$/.test(word)) return scriptOf('python', words[at + 1] ?? null);
    // `python -m pytest` is pytest, `-mpip` is pip; a module of their own stays a run of Python.
    const joined = /^-\w*m(\w.*)$/.exec(word)?.[1];
    if (/^-\w*m$/.test(word) || (joined !== undefined && !/^-[A-Za-z]*c/.test(word))) {
      const module = joined ?? words[at + 1] ?? '';
      const rest = words.slice(joined === undefined ? at + 2 : at + 1);
      return MODULES.has(module) ? { words: [module, ...rest], folder: null } : null;
    }
    if (word === '-') break;
    if (/^-[XW]$/.test(word) || word === '--check-hash-based-pycs') at++;
    else if (!word.startsWith('-')) return null;
  }
  return scriptOf('python', input);
}

/** Modules that are commands of their own name. */
const MODULES: ReadonlySet<string> = new Set([
  'pip',
  'pytest',
  'unittest',
  'nose',
  'nose2',
  'doctest',
  'tox',
  'nox',
  'coverage',
  'poetry',
  'uv',
  'hatch',
  'pdm',
  'build',
  'easy_install',
  'ensurepip',
  'trial',
  'twisted.trial',
]);
