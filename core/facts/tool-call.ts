// A call of any agent's tool as acts: by what its arguments are, and by its name only where they leave it open.
import { type Act, act, type ShellState } from './call.ts';
import { actsOfScript, actsOfWords } from './commands.ts';
import { normalPath, URL } from './paths.ts';
import { filesOfPatch } from './programs.ts';
import { PythonSource } from './python-tree.ts';
import { rememberScript } from './written-scripts.ts';

/** A parsed call. `fields` is null where the arguments are no JSON object; `text` is what was sent. */
export interface ToolCall {
  readonly name: string;
  readonly fields: Readonly<Record<string, unknown>> | null;
  readonly text: string;
  readonly isLast: boolean;
}

const key = (names: string): RegExp => new RegExp(`^(?:${names})$`, 'i');
const COMMAND = key(
  'command|cmd|commands|shell|bash|sh|shell_?command|bash_?command|command_?line|terminal_?command|keystrokes|commandline',
);
const CODE = key('code|script|source_?code|python|python_?code|program|cell|snippet|statements?');
const PATH = key(
  'path|file|file_?path|file_?name|filename|target_?file|target|relative_?(?:workspace_)?path|absolute_?path|notebook_?path|paths|files|file_?paths|dir|directory|dir_?path|folder|source|src|destination|dest|dst|old_?path|new_?path|from|to|uri|module',
);
const CONTENT = key(
  'old_?str(?:ing)?|new_?str(?:ing)?|old_?text|new_?text|old_?content|new_?content|old_?code|new_?code|content|contents|file_?text|text|file_?content|replacement|replace(?:_?with)?|insert_?text|insert_?line|code_?edit|edits|changes|new_?source|body|append|search_?replace|updated?_?content',
);
const WHOLE = key('content|contents|file_?text|file_?content|text|body|code|code_?edit');
const PATCH = key('patch|diff|input|changes|unified_?diff|patch_?text|content');
const QUERY = key(
  'query|pattern|regex|regexp|keyword|keywords|search|search_?term|search_?string|q|term|symbol|glob|name_?pattern|needle',
);
const ANSWER = key('answer|result|message|summary|final\\w*|output|response|solution|conclusion');
const FOLDER = key('cwd|workdir|working_?dir(?:ectory)?|work_?dir');
const LANGUAGE = key('language|lang|interpreter|kernel');
const ADDRESS = key('url|uri|link|address|endpoint|urls');
const IS_PATCH = /^(?:diff --git |--- \S[^\n]*\n\+\+\+ |\*\*\* Begin Patch)/m;

const NAMES = {
  submit:
    /^(?:submit\w*|finish\w*|done|complete|completed?_?task|task_?(?:complete|done)|final\w*|attempt_completion|answer|give_answer|exit|end(?:_\w+)?|return_\w+|stop)$/i,
  report:
    /report|ask_?(?:user|human|followup|question)|notify|give_?up|message_?(?:user|human)|send_?message|escalate|raise_?issue/i,
  think:
    /^(?:think\w*|plan|planning|reason\w*|reflect\w*|notes?|take_note\w*|todo\w*|update_plan|scratchpad|memory\w*|sequential_?thinking)$/i,
  python: /python|ipython|jupyter|notebook|interpreter|repl/i,
  javascript: /javascript|nodejs|(?:^|_)node(?:_|$)/i,
  shell: /bash|shell|terminal|exec|command|run|console|cmd|process/i,
  test: /(?:^|_)(?:py)?tests?(?:_|$)|test_?suite|pytest|unittest/i,
  git: /(?:^|_)git(?:_|$)|commit|blame|version_?control|(?:^|_)vcs(?:_|$)|revision/i,
  install: /install|add_?(?:package|dependency)/i,
  network: /web|browse|fetch_?(?:url|page)|http|download|internet|online|curl|wget|scrape|crawl/i,
  edit: new RegExp(
    'write|create|edit|replace|insert|delete|remove|rename|move|append|patch|undo|save|(?:^|_)put|update|modify|touch|copy',
  ),
  search:
    /search|find|grep|list|glob|(?:^|_)(?:ls|dir)(?:_|$)|tree|locate|lookup|where|outline|references|definition/i,
  read: /read|view|open|cat|show|get|scroll|goto|peek|head|inspect/i,
} as const;

/** Without what a protocol puts before it, as in `mcp__files__readFile`: `read_file`. */
const plainName = (name: string): string =>
  (name.split(/__|[.:/]/).findLast((part) => part !== '') ?? name)
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_')
    .toLowerCase();

/** Never empty. */
export function actsOfCall(call: ToolCall, state: ShellState): Act[] {
  const name = plainName(call.name);
  if (call.fields === null) return ofText(call, name, state);
  const fields = Object.entries(call.fields);
  const texts = (names: RegExp): string[] =>
    fields.filter(([field]) => names.test(field)).flatMap(([, value]) => textsOf(value));
  const has = (names: RegExp): boolean =>
    fields.some(([field, value]) => names.test(field) && value !== null && value !== '');
  const folder = normalPath(texts(FOLDER)[0] ?? '');
  const start = folder === state.root ? '' : folder;
  const paths = texts(PATH).map((path) => normalPath(path, start));
  const args = scalarsOf(fields);

  const patch = texts(PATCH).find((text) => IS_PATCH.test(text));
  if (patch !== undefined && !NAMES.submit.test(name)) {
    const files = filesOfPatch(patch).map((path) => normalPath(path, start));
    return [act('edit', name, { paths: files.length > 0 ? files : paths, wrote: true })];
  }
  const script = scriptOf(fields, name, paths.length > 0, texts(LANGUAGE)[0]);
  if (script !== null) {
    return 'words' in script
      ? actsOfWords(script.words, state, start)
      : actsOfScript(script, state, start);
  }
  if (NAMES.think.test(name)) return [act('other', name, { args })];
  if (NAMES.report.test(name)) return [act('report', name, { args })];
  if (NAMES.submit.test(name)) return [act('submit', name, { args, paths })];
  const address =
    texts(ADDRESS)
      .map((text) => URL.exec(text)?.[0])
      .find(Boolean) ?? null;
  if (NAMES.install.test(name)) return [act('install', name, { args, url: address })];
  if (address !== null || NAMES.network.test(name))
    return [act('network', name, { args, url: address })];
  if (NAMES.git.test(name)) return ofGit(name, switchesOf(fields), paths, state, start);
  if (NAMES.test.test(name)) return [act('test', name, { args, paths })];
  if (paths.length > 0) {
    const [path = ''] = paths;
    if (has(WHOLE)) rememberScript(path, texts(WHOLE)[0] ?? '', state);
    return ofPaths(name, fields, paths, args, has(CONTENT), has(QUERY));
  }
  if (has(QUERY) || NAMES.search.test(name)) return [act('search', name, { args })];
  if (NAMES.read.test(name) && args.length > 0) return [act('read', name, { args })];
  // What an agent calls as the last thing it does, without a word or with an answer, is its way to hand in.
  if (call.isLast && (fields.length === 0 || has(ANSWER))) return [act('submit', name, { args })];
  return [act(NAMES.edit.test(name) && fields.length > 0 ? 'edit' : 'other', name, { args })];
}

/** Arguments that are no JSON object: the command itself where the tool is a shell, else a malformed call. */
function ofText({ name: own, text, isLast }: ToolCall, name: string, state: ShellState): Act[] {
  const bare = text.trim();
  if (bare === '' || bare === 'null') {
    if (NAMES.test.test(name)) return [act('test', name)];
    if (NAMES.git.test(name)) return ofGit(name, [], [], state, '');
    const isSubmit = NAMES.submit.test(name) || (isLast && !NAMES.think.test(name));
    return [act(isSubmit ? 'submit' : 'other', own)];
  }
  const isBroken = /^[[{"]/.test(bare);
  if (!isBroken && IS_PATCH.test(bare)) {
    return [act('edit', name, { paths: filesOfPatch(bare), wrote: true })];
  }
  if (!isBroken && NAMES.python.test(name))
    return actsOfScript({ language: 'python', text: bare }, state);
  if (!isBroken && NAMES.shell.test(name))
    return actsOfScript({ language: 'shell', text: bare }, state);
  if (!isBroken && NAMES.submit.test(name)) return [act('submit', name, { args: [bare] })];
  return [act('other', name, { args: [bare] })];
}

type Script = Parameters<typeof actsOfScript>[0];

/** The command or code that a call runs, null where it runs none. */
function scriptOf(
  fields: readonly (readonly [string, unknown])[],
  name: string,
  hasPath: boolean,
  language: string | undefined,
): Script | { readonly words: readonly string[] } | null {
  const isCode = NAMES.python.test(name) || NAMES.javascript.test(name);
  const started = programOf(fields);
  if (started !== null) return { words: started };
  for (const [field, value] of fields) {
    const isInput = /^(?:input|args?|stdin|text|query|content)$/i.test(field);
    const isRunner = (isCode || NAMES.shell.test(name)) && !NAMES.edit.test(name) && !hasPath;
    const isTold = language !== undefined && /^(?:source|content|text|body)$/i.test(field);
    const isScript = COMMAND.test(field) || CODE.test(field) || isTold;
    if (!isScript && !(isInput && isRunner)) continue;
    if (Array.isArray(value)) {
      const words = value.filter((one) => typeof one === 'string');
      if (words.length === 0 || words.length < value.length) continue;
      // A list is one command's words, unless each element is a command of its own.
      if (words.length > 1 && words.every((word) => /\s/.test(word)))
        return shell(words.join('\n'));
      return words.length === 1 ? shell(words[0] ?? '') : { words };
    }
    if (typeof value !== 'string' || value.trim() === '') continue;
    // An editor's `command` is one word that says which edit its other arguments describe.
    if (hasPath && /^\w+$/.test(value.trim())) continue;
    if (hasPath && CODE.test(field)) continue;
    // Only notebooks have magics, whatever their tool is called.
    if (/^\s*(?:%%?\w|![\w$./])/.test(value)) return { language: 'python', text: value };
    if (COMMAND.test(field) && !isCode) return shell(value);
    return { language: languageOf(value, name, language), text: value };
  }
  return null;
}

/** A program and the list of its arguments. */
function programOf(fields: readonly (readonly [string, unknown])[]): string[] | null {
  const of = (names: RegExp): unknown => fields.find(([field]) => names.test(field))?.[1];
  const program = of(/^(?:program|executable|binary|command|cmd)$/i);
  const args = of(/^(?:args|arguments|argv)$/i);
  if (typeof program !== 'string' || /\s/.test(program.trim()) || !Array.isArray(args)) return null;
  return [program, ...args.filter((one) => typeof one === 'string')];
}

const shell = (text: string): Script => ({ language: 'shell', text });

function languageOf(text: string, name: string, told: string | undefined): Script['language'] {
  const hint = told ?? name;
  if (/^(?:py|python\d?|ipython)$/i.test(hint) || NAMES.python.test(hint)) return 'python';
  if (/^(?:js|ts|javascript|typescript|node)$/i.test(hint) || NAMES.javascript.test(hint)) {
    return 'javascript';
  }
  if (/^(?:bash|sh|zsh|shell)$/i.test(hint)) return 'shell';
  if (/^\s*#!.*\b(?:ba|z)?sh\b/.test(text)) return 'shell';
  // A line of shell is seldom Python; a line of Python is always shell of some kind.
  return new PythonSource(text).isBroken ? 'shell' : 'python';
}

/** `git_log` with its arguments is `git log`; a tool for commits by another name keeps it. */
function ofGit(
  name: string,
  args: readonly string[],
  paths: readonly string[],
  state: ShellState,
  folder: string,
): Act[] {
  const sub = /(?:^|_)git_(?<sub>[a-z_]+)$/.exec(name)?.groups?.['sub'];
  if (sub !== undefined && !/^(?:command|run|exec|tool)$/.test(sub)) {
    return actsOfWords(['git', sub.replaceAll('_', '-'), ...args, ...paths], state, folder);
  }
  if (/(?:^|_)git(?:_(?:command|run|exec|tool))?$/.test(name) && args.length > 0) {
    const text = args.join(' ').replace(/^git\s+/, '');
    return actsOfScript(shell(`git ${text}`), state, folder);
  }
  return [act('vcs', name, { args, paths })];
}

function ofPaths(
  name: string,
  fields: readonly (readonly [string, unknown])[],
  paths: readonly string[],
  args: readonly string[],
  hasContent: boolean,
  hasQuery: boolean,
): Act[] {
  const told = fields.find(([field]) => /^(?:command|action|operation|mode|op)$/i.test(field))?.[1];
  const word = typeof told === 'string' ? told : name;
  const isRead = /^(?:view|read|open|show|cat|get|list|r|rb)$/i.test(word);
  if (isRead) return [act('read', name, { args, paths })];
  if (hasContent || NAMES.edit.test(word)) return [act('edit', name, { args, paths, wrote: true })];
  if (hasQuery) return [act('search', name, { args, paths })];
  const isSearch = NAMES.search.test(name) && !/^(?:read|view|open|cat|show|get)/i.test(name);
  return [act(isSearch ? 'search' : 'read', name, { args, paths })];
}

const ARGUMENT_MAX = 500;

/** As a command line says them: `all: true` is `--all`. */
const switchesOf = (fields: readonly (readonly [string, unknown])[]): string[] =>
  fields.flatMap((field) => {
    const [name, value] = field;
    if (value === true) return [`--${name.replaceAll('_', '-')}`];
    return value === false ? [] : scalarsOf([field]);
  });

/** Short values in order, texts of files left out; lists of words as their words. */
function scalarsOf(fields: readonly (readonly [string, unknown])[]): string[] {
  return fields
    .filter(([field]) => !PATH.test(field) && !CONTENT.test(field))
    .flatMap(([, value]) => textsOf(value))
    .map((text) => text.slice(0, ARGUMENT_MAX));
}

/** Strings within a value, two levels deep: `path`, `paths: […]`, `files: [{path}]`. */
function textsOf(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number' || typeof value === 'boolean') return [String(value)];
  if (Array.isArray(value)) return depth > 1 ? [] : value.flatMap((one) => textsOf(one, depth + 1));
  if (typeof value !== 'object' || value === null || depth > 1) return [];
  const inner = Object.entries(value).filter(([field]) => PATH.test(field));
  return inner.flatMap(([, one]) => textsOf(one, depth + 1));
}
