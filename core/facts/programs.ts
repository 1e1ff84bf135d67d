// What a command does, by the program it names: its kind, its verb, and which of its words are paths.
import { type Act, act, type ShellCommand, SOCKET } from './call.ts';
import { gitAct } from './git-act.ts';
import { packageAct } from './package-act.ts';
import { looksLikePath, normalPath, URL } from './paths.ts';
import { testAct } from './test-act.ts';
import { programName } from './unwrap.ts';

interface Program {
  readonly kind: Act['kind'];
  /** Which operands are paths: those that look like one, or all but the first `from`. */
  readonly from?: number;
  /** Whether its paths are written: none, all, or the last. */
  readonly writes?: 'all' | 'last';
  /** Options that take the next word, which is then no path. */
  readonly valued?: RegExp;
}

const read = (names: string, valued?: RegExp): [string, Program][] =>
  names.split(' ').map((name) => [name, { kind: 'read', from: 0, ...(valued && { valued }) }]);
const all = (names: string, program: Program): [string, Program][] =>
  names.split(' ').map((name) => [name, program]);

const PROGRAMS: ReadonlyMap<string, Program> = new Map([
  ...read('cat less more nl file stat xxd hexdump od strings bat batcat view tac rev column zcat'),
  ...read('head tail', /^-[nc]$|^--(?:lines|bytes)$/),
  ...read('wc diff cmp comm md5sum sha1sum sha256sum pygmentize readlink realpath'),
  ...read('sort uniq cut fold paste', /^-[tkdfcws]$/),
  ...all('sed', { kind: 'read', from: 1, valued: /^-[ef]$|^--(?:expression|file)$/ }),
  ...all('awk gawk mawk jq yq', { kind: 'read', from: 1, valued: /^-[Ffv]$|^--arg(?:json)?$/ }),
  ...all('grep egrep fgrep rg ag ack zgrep', {
    kind: 'search',
    from: 1,
    valued: /^-[efmABCgtT]$|^--(?:include|exclude|exclude-dir|glob|type|max-count|regexp|file)$/,
  }),
  ...all('tr', { kind: 'read' }),
  ...all('find', { kind: 'search' }),
  ...all('fd fdfind', { kind: 'search', from: 1, valued: /^-[etEd]$/ }),
  ...all('ls tree dir du', { kind: 'search', from: 0, valued: /^-[ILPd]$/ }),
  ...all('locate which whereis type ctags glob', { kind: 'search' }),
  ...all('tee touch rm unlink shred mv', { kind: 'edit', from: 0, writes: 'all' }),
  ...all('truncate', { kind: 'edit', from: 0, writes: 'all', valued: /^-[sr]$/ }),
  ...all('vi vim nvim nano emacs ed ex pico', {
    kind: 'edit',
    from: 0,
    writes: 'all',
    valued: /^-[cSsu]$/,
  }),
  ...all('cp ln install rsync', {
    kind: 'edit',
    from: 0,
    writes: 'last',
    valued: /^-[mogS]$|^--(?:mode|exclude|include)$/,
  }),
  ...all('patch', { kind: 'edit', writes: 'all', valued: /^-[pidFD]$/ }),
  ...all('curl wget http https aria2c lynx w3m ftp sftp scp ssh nc ncat telnet gh glab axel', {
    kind: 'network',
  }),
  ...all('python ipython node deno bun ruby perl php lua java bash sh zsh make ninja gcc g++', {
    kind: 'run',
  }),
  ...all('clang rustc javac cmake source . julia Rscript rscript dotnet ./configure mypy flake8', {
    kind: 'run',
  }),
  ...all(
    'pylint pyflakes pyright tsc eslint gdb pdb valgrind time black isort yapf ruff prettier gofmt',
    { kind: 'run' },
  ),
]);

/** Words that only set the scene: a call has an act of theirs only where it has no other. */
const SCENERY: ReadonlySet<string> = new Set(
  'cd pwd sleep clear exec pushd popd export set unset alias unalias true false : [ [[ test read shopt ulimit umask trap wait local'.split(
    ' ',
  ),
);
export const isScenery = ({ kind, verb, paths, args }: Act): boolean =>
  SCENERY.has(verb) ||
  // A filter at the end of a pipe reads no file.
  (kind === 'read' && paths.length === 0 && PROGRAMS.has(verb)) ||
  (/^[efz]?grep$/.test(verb) &&
    paths.length === 0 &&
    !args.some((word) => /^-\w*[rR]/.test(word))) ||
  (/^(?:source|\.)$/.test(verb) && paths.every((path) => path.endsWith('activate')));

/** The acts of one command, its redirections among them. */
export function actsOfCommand(command: ShellCommand, aliases: Map<string, string>): Act[] {
  const { words, folder } = command;
  const redirects = command.redirects.filter(({ path }) => !SOCKET.test(path));
  const socket = command.redirects.map(({ path }) => SOCKET.exec(path)).find(Boolean)?.groups;
  if (socket !== undefined) {
    const url = `${socket['host'] ?? ''}:${socket['port'] ?? ''}`;
    return [act('network', '/dev/tcp', { args: words, url })];
  }
  const [first = '', ...rest] = words;
  const name = programName(first);
  const at = (path: string): string => normalPath(path, folder);
  const reads = redirects.filter(({ writes }) => !writes).map(({ path }) => path);
  const writes = redirects.filter((one) => one.writes).map(({ path }) => path);
  const own =
    words.length === 0
      ? null
      : (gitAct(name, rest, command, aliases) ??
        testAct(name, first, rest, at) ??
        packageAct(name, rest, at) ??
        programAct(name, rest, command));
  // An editor that is given its text by redirection and reads nothing has written: one act.
  const isWriter = own === null || (own.kind === 'other' && WRITERS.test(own.verb));
  if (writes.length > 0 && (isWriter || (own.verb === 'cat' && own.paths.length === 0))) {
    const verb = own === null ? '>' : own.verb;
    return [act('edit', verb, { args: own?.args ?? [], paths: writes, wrote: true })];
  }
  if (own === null) return reads.length > 0 ? [act('read', '<', { paths: reads })] : [];
  const whole = act(own.kind, own.verb, { ...own, paths: [...own.paths, ...reads.map(at)] });
  const split = SPLIT.get(name) === 'last' ? splitLast(whole) : [whole];
  if (writes.length === 0) return split;
  return [...split, act('edit', own.verb, { args: own.args, paths: writes, wrote: true })];
}

const WRITERS = /^(?:echo|printf|print|yes|seq|:|true)$/;
const SPLIT: ReadonlyMap<string, Program['writes']> = new Map(
  [...PROGRAMS].map(([name, { writes }]) => [name, writes]),
);

/** What copies reads its sources and writes its target. */
function splitLast(whole: Act): Act[] {
  const target = whole.paths.at(-1);
  if (target === undefined || whole.paths.length < 2) return [whole];
  return [
    act('read', whole.verb, { args: whole.args, paths: whole.paths.slice(0, -1) }),
    act('edit', whole.verb, { args: whole.args, paths: [target], wrote: true }),
  ];
}

function programAct(name: string, args: readonly string[], command: ShellCommand): Act {
  const at = (path: string): string => normalPath(path, command.folder);
  const url = URL.exec(args.join(' '))?.[0] ?? null;
  if (/^(?:submit|finish|done_editing)$/.test(name)) return act('submit', name, { args });
  if (isMarkOfSubmission(name, args)) return act('submit', name, { args });
  if (name === 'apply_patch' || name === 'applypatch') return patchAct(name, args, command);
  const program = PROGRAMS.get(name);
  if (program === undefined) {
    const isFile = /[/]/.test(command.words[0] ?? '') || looksLikePath(command.words[0] ?? '');
    const kind = isFile ? 'run' : 'other';
    const own = isFile ? [command.words[0] ?? ''] : [];
    return act(kind, name, { args, paths: [...own, ...named(args)].map(at), url });
  }
  const paths = pathsOf(program, args).map(at);
  if (isInPlace(name, args)) return act('edit', name, { args, paths, wrote: true });
  if (name === 'patch') return patchAct(name, args, command);
  if (name === 'find') return findAct(args, paths);
  if (name === 'curl' || name === 'wget') {
    const saved = args.flatMap((word, i) =>
      /^(?:-o|-O|--output(?:-document)?)$/.test(word) ? [args[i + 1] ?? ''] : [],
    );
    const files = saved.filter((word) => looksLikePath(word)).map(at);
    return act('network', name, {
      args,
      paths: files,
      wrote: files.length > 0,
      url: url ?? hostOf(args),
    });
  }
  const wrote = program.writes !== undefined && paths.length > 0;
  return act(program.kind, name, { args, paths, wrote, url });
}

/** curl takes an address without its scheme. */
const hostOf = (args: readonly string[]): string | null =>
  args.find((word) => /^[\w-]+(?:\.[\w-]+)+(?:[:/].*)?$/.test(word)) ?? null;

/** Some agents end by an echo of a word that their loop waits for. */
const isMarkOfSubmission = (name: string, args: readonly string[]): boolean =>
  name === 'echo' &&
  /^[A-Z_]*(?:SUBMIT|FINAL_OUTPUT|TASK_COMPLETE|TASK_DONE)[A-Z_]*$/.test(args.join(' ').trim());

const isInPlace = (name: string, args: readonly string[]): boolean => {
  if (name === 'sed' || name === 'perl' || name === 'ruby') {
    return args.some((word) => /^-[A-Za-z]*i/.test(word) || word.startsWith('--in-place'));
  }
  return name.endsWith('awk') && args.some((word, i) => word === '-i' && args[i + 1] === 'inplace');
};

function findAct(args: readonly string[], paths: readonly string[]): Act {
  const start = args.findIndex((word) => /^[-(!]/.test(word));
  const folders = start === -1 ? args : args.slice(0, start);
  const isDelete = args.includes('-delete');
  const found = paths.slice(0, folders.filter(looksLikePath).length);
  return act(isDelete ? 'edit' : 'search', 'find', {
    args,
    paths: found,
    wrote: isDelete && found.length > 0,
  });
}

/** A patch names its files in its text, which is a heredoc, an argument, or a file that we do not see. */
function patchAct(name: string, args: readonly string[], command: ShellCommand): Act {
  const text = [command.input ?? '', ...args].join('\n');
  const at = (path: string): string => normalPath(path, command.folder);
  const targets = filesOfPatch(text).map(at);
  const paths = targets.length > 0 ? targets : named(args).map(at);
  return act('edit', name, { args, paths, wrote: true });
}

/** Paths that a diff or an apply_patch text changes. */
export function filesOfPatch(text: string): string[] {
  const found = text.matchAll(
    /^(?:\+\+\+ |--- |\*\*\* (?:Update|Add|Delete) File: |\*\*\* Move to: )(?:[ab]\/)?(?<path>[^\t\n]+)/gm,
  );
  const paths = [...found].map(({ groups }) => (groups?.['path'] ?? '').trim());
  return [...new Set(paths.filter((path) => path !== '/dev/null' && path !== 'dev/null'))];
}

function pathsOf({ from, valued, kind }: Program, args: readonly string[]): string[] {
  if (from === undefined)
    return kind === 'search' ? operands(args, valued).filter(notFlag) : named(args);
  // A pattern that is given by an option is no operand.
  const hasOption = args.some((word) => /^-[ef]$|^--(?:regexp|expression|file)(?:=|$)/.test(word));
  return operands(args, valued)
    .slice(hasOption ? 0 : from)
    .filter((word) => !/^[\d+]+$/.test(word) && word !== '-' && !/\s/.test(word.trim()));
}

const notFlag = (word: string): boolean => looksLikePath(word) || word === '.';

function operands(args: readonly string[], valued: RegExp | undefined): string[] {
  const found: string[] = [];
  let isEnd = false;
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? '';
    if (word === '--') isEnd = true;
    else if (!isEnd && valued?.test(word)) at++;
    else if (isEnd || !/^[-+]./.test(word)) found.push(word);
  }
  return found;
}

/** Words and values of options that look like paths; node ids of tests without what stands behind `::`. */
export const named = (args: readonly string[]): string[] =>
  args
    .map((word) => (/^--?[\w-]+=/.test(word) ? word.slice(word.indexOf('=') + 1) : word))
    .map((word) => word.split('::')[0] ?? word)
    .filter(looksLikePath);
