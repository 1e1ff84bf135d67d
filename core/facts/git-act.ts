// Version control: `git -C x -c alias.l=log l` is `git log`.
import { type Act, act, type ShellCommand } from './call.ts';
import { looksLikePath, normalPath, URL } from './paths.ts';

const VALUED = /^(?:-C|-c|--git-dir|--work-tree|--namespace|--exec-path|--config-env)$/;
const REMOTE = /^(?:clone|fetch|pull|push|ls-remote|remote-update|archive-remote)$/;
/** Sub-commands that change the files they name. */
const WRITES = /^(?:checkout|restore|mv|rm|clean|reset|checkout-index|read-tree)$/;
const ALIASES_MAX = 8;
const OTHERS = /^(?:hg|svn|bzr|jj|fossil|tig|lazygit)$/;

/** Null where the command is no version control. */
export function gitAct(
  name: string,
  args: readonly string[],
  { folder, input }: ShellCommand,
  aliases: Map<string, string>,
): Act | null {
  if (OTHERS.test(name)) return vcsAct(name, args[0] ?? '', args.slice(1), folder, input);
  if (name !== 'git') return null;
  const found = subCommand(args, folder, aliases);
  let { words } = found;
  for (let depth = 0; depth < ALIASES_MAX; depth++) {
    const alias = aliases.get(words[0] ?? '');
    if (alias === undefined) break;
    words = [...alias.replace(/^!\s*git\s+/, '').split(/\s+/), ...words.slice(1)];
  }
  const [sub = '', ...rest] = words;
  if (sub === 'config') rememberAlias(rest, aliases);
  return vcsAct('git', sub, rest, found.folder, input);
}

function subCommand(args: readonly string[], start: string, aliases: Map<string, string>) {
  let folder = start;
  let at = 0;
  for (; at < args.length; at++) {
    const word = args[at] ?? '';
    if (!word.startsWith('-')) break;
    const value = args[at + 1] ?? '';
    if (word === '-C') folder = normalPath(value, folder);
    const setting = word === '-c' ? value : word.startsWith('-c') ? word.slice(2) : '';
    const { key, text } = /^alias\.(?<key>[\w-]+)=(?<text>.*)$/s.exec(setting)?.groups ?? {};
    if (key !== undefined && text !== undefined) aliases.set(key, text);
    if (VALUED.test(word)) at++;
  }
  return { words: args.slice(at), folder };
}

function rememberAlias(args: readonly string[], aliases: Map<string, string>): void {
  const at = args.findIndex((word) => word.startsWith('alias.'));
  const text = args[at + 1];
  if (at !== -1 && text !== undefined) aliases.set((args[at] ?? '').slice(6), text);
}

function vcsAct(
  name: string,
  sub: string,
  rest: readonly string[],
  folder: string,
  input: string | null,
): Act {
  const command = sub.toLowerCase();
  // A patch in a file is read; what it changes, only its text tells.
  const isPatch = /^(?:apply|am)$/.test(command) && input !== null;
  const paths = pathsOf(rest, input).map((path) => normalPath(path, folder));
  const isRemote =
    REMOTE.test(command) ||
    (command === 'remote' && rest[0] === 'update') ||
    (command === 'archive' && rest.some((word) => word.startsWith('--remote')));
  return act(isRemote ? 'network' : 'vcs', `${name} ${command}`.trim(), {
    args: rest,
    paths,
    wrote: (WRITES.test(command) && paths.length > 0 && !rest.includes('-b')) || isPatch,
    url: URL.exec(rest.join(' '))?.[0] ?? null,
  });
}

/** Words behind `--`, words that look like paths, and the path of `REVISION:path`. */
function pathsOf(args: readonly string[], input: string | null): string[] {
  const end = args.indexOf('--');
  const before = end === -1 ? args : args.slice(0, end);
  const after = end === -1 ? [] : args.slice(end + 1);
  const shown = before.flatMap((word) => {
    const path = /^[^\s:/-][^\s:]*:(?<path>[^\s:]+)$/.exec(word)?.groups?.['path'];
    if (path !== undefined && !URL.test(word)) return [path];
    return looksLikePath(word) && !/^(?:origin|upstream|refs)\//.test(word) ? [word] : [];
  });
  const patched = [...(input ?? '').matchAll(/^\+\+\+ (?:b\/)?(?<path>[^\t\n]+)/gm)].map(
    ({ groups }) => groups?.['path'] ?? '',
  );
  return [...shown, ...after, ...patched].filter((path) => path !== '' && path !== '/dev/null');
}
