// The texts that a call of an agent's tool writes: by an editor, a redirection, a heredoc or a script in the command.

export interface Writing {
  readonly path: string;
  /** patch: `text` is a diff. script: code that was run, not stored. */
  readonly how: 'file' | 'append' | 'replace' | 'patch' | 'script';
  /** What is replaced. */
  readonly old: string;
  readonly text: string;
}

type Fields = Readonly<Record<string, unknown>>;

const PATH_KEYS =
  /^(?:path|file|file_?path|file_?name|target(?:_?file)?|dest(?:ination)?|notebook_?path|relative_?path|absolute_?path|uri)$/i;
const TEXT_KEYS =
  /^(?:content|contents|(?:file|code)_?(?:text|contents?)|text|new_?(?:str|string|text|contents?|code|source|lines?|value)?|replacement(?:_?(?:text|content))?|replace(?:_?with)?|with|after|insert_?text|code_?edit|body|source|data|value|lines|updated?_?(?:text|content))$/i;
const OLD_KEYS =
  /^(?:old_?(?:str|string|text|contents?|code|source|lines?|value)?|search|find|before|target_?(?:text|content)|original(?:_?text)?)$/i;
const CODE_KEYS = /^(?:code|script|python|input|source|program|cell)$/i;
const COMMAND_KEYS = /^(?:command|cmd|commands|shell|bash|input|code|script|keystrokes|args?)$/i;
const PATCH = /^(?:diff --git |\*\*\* Begin Patch|--- \S+[^\n]*\n\+\+\+ )/m;

/** `arguments_` is JSON text, or the command itself where an agent sends it bare. */
export function writingsOf(tool: string, arguments_: string): Writing[] {
  const fields = fieldsOf(arguments_);
  if (fields === null) return writingsOfShell(arguments_);
  const patch = Object.values(fields)
    .flat()
    .find(
      (value): value is string =>
        typeof value === 'string' && PATCH.test(value) && !/<</.test(value),
    );
  if (patch !== undefined) return [{ path: '', how: 'patch', old: '', text: patch }];
  const path = textAt(fields, PATH_KEYS);
  // Several edits in one call name the file each, or share the one that the call names.
  const edits = Object.values(fields).flatMap((value) =>
    Array.isArray(value) ? value.filter(isFields) : [],
  );
  const written = [fields, ...edits].flatMap((edit) => {
    const own = textAt(edit, PATH_KEYS) ?? path;
    return own === null ? [] : writingOfEdit(own, edit);
  });
  if (path !== null || written.length > 0) return written;
  const isPython = /python|ipython|jupyter|notebook|interpreter|repl|cell/i.test(tool);
  const code = isPython ? textAt(fields, CODE_KEYS) : null;
  if (code !== null) return writingsOfScript(code);
  return Object.entries(fields).flatMap(([key, value]) => {
    if (!COMMAND_KEYS.test(key)) return [];
    const command = Array.isArray(value) ? value.at(-1) : value;
    return typeof command === 'string' ? writingsOfShell(command) : [];
  });
}

const SEARCH_REPLACE =
  /^[<-]{5,9} ?SEARCH[^\n]*\n(?:(?::\w+:[^\n]*\n)*-{5,9}\n)?(?<old>[\s\S]*?)^={5,9}\n(?<text>[\s\S]*?)^[>+]{5,9} ?REPLACE/gm;

function writingOfEdit(path: string, fields: Fields): Writing[] {
  const blocks = Object.values(fields).flatMap((value) =>
    typeof value === 'string' ? [...value.matchAll(SEARCH_REPLACE)] : [],
  );
  if (blocks.length > 0) {
    return blocks.map(({ groups = {} }) => {
      return { path, how: 'replace', old: groups['old'] ?? '', text: groups['text'] ?? '' };
    });
  }
  const text = textAt(fields, TEXT_KEYS);
  const old = textAt(fields, OLD_KEYS);
  if (text === null && old === null) return [];
  const isAppend = Object.keys(fields).some((key) => /^insert/i.test(key));
  const how = old !== null ? 'replace' : isAppend ? 'append' : 'file';
  return [{ path, how, old: old ?? '', text: text ?? '' }];
}

const HEREDOC =
  /^(?<before>[^\n]*?)<<-?[ \t]*(?<quote>['"]?)(?<end>\w+)\k<quote>(?<after>[^\n]*)\n(?<body>[\s\S]*?)^[ \t]*\k<end>[ \t]*$/gm;

/** A shell command with all it contains. */
export function writingsOfShell(command: string): Writing[] {
  const writings: Writing[] = [];
  for (const { groups = {} } of command.matchAll(HEREDOC)) {
    const line = `${groups['before'] ?? ''} ${groups['after'] ?? ''}`;
    writings.push(...writingsOfHeredoc(line, groups['body'] ?? ''));
  }
  const rest = command.replaceAll(HEREDOC, '\n');
  const echo =
    /(?:echo|printf)\s+(?:-\w+\s+)*(?<quote>['"])(?<text>[\s\S]*?)\k<quote>\s*(?<to>>>?|\|\s*(?:sudo\s+)?tee\s+(?:-a\s+)?)\s*(?<path>[^\s;&|]+)/g;
  for (const { groups = {} } of rest.matchAll(echo)) {
    const how = /^>$|tee\s+$/.test(groups['to'] ?? '') ? 'file' : 'append';
    const text = unescaped(groups['text'] ?? '');
    writings.push({ path: groups['path'] ?? '', how, old: '', text });
  }
  const inPlace =
    /\b(?:sed|perl)\s+(?:-\S+\s+)*?-\d*p?i\S*\s+(?:-\w+\s+)*(?<quote>['"])(?<edit>[\s\S]+?)\k<quote>\s+(?<path>[^\s;&|]+)/g;
  for (const { groups = {} } of rest.matchAll(inPlace)) {
    writings.push(...editsOfSed(groups['edit'] ?? '', groups['path'] ?? ''));
  }
  const inline =
    /\b(?:python[\d.]*|node|ruby|perl)\s+(?:-\w+\s+)*-(?:c|e)\s*(?<quote>['"])(?<code>[\s\S]*?)(?<!\\)\k<quote>(?=\s|$|[;&|)])/g;
  for (const { groups = {} } of rest.matchAll(inline)) {
    writings.push(...writingsOfScript((groups['code'] ?? '').replaceAll('\\"', '"')));
  }
  const nested =
    /\b(?:ba|z|da)?sh\s+-\w*c\s+(?<quote>['"])(?<inner>[\s\S]*?)(?<!\\)\k<quote>(?=\s|$|[;&|)])/g;
  for (const { groups = {} } of rest.matchAll(nested)) {
    const inner = groups['inner'] ?? '';
    if (inner.length < command.length) writings.push(...writingsOfShell(inner));
  }
  return writings;
}

function writingsOfHeredoc(line: string, body: string): Writing[] {
  const to = /(?<to>>>?|\btee\s+(?:-a\s+)?)\s*(?<path>[^\s;&|<>]+)/.exec(line)?.groups;
  if (/\b(?:git\s+apply|patch|apply_patch)\b/.test(line) || /^\*\*\* Begin Patch/m.test(body)) {
    return [{ path: '', how: 'patch', old: '', text: body }];
  }
  if (to !== undefined && !(to['path'] ?? '').startsWith('/dev/')) {
    const how = /^>>|-a/.test(to['to'] ?? '') ? 'append' : 'file';
    return [{ path: unquoted(to['path'] ?? ''), how, old: '', text: body }];
  }
  if (/\b(?:python[\d.]*|node|ruby|perl)\b/.test(line)) return writingsOfScript(body);
  if (/\b(?:ba|z|da)?sh\b/.test(line)) return writingsOfShell(body);
  return [];
}

const OPENED =
  /(?:open\(\s*|Path\(\s*)[rbf]?(?<quote>['"])(?<path>[^'"\n]+)\k<quote>\s*(?:,\s*(?:mode\s*=\s*)?['"][wax]|\)\s*\.\s*(?:write_text|open\(\s*['"][wax]))/;
const OPENED_ANY = /['"](?<path>[^'"\s]*[\w-]\.[a-z]{1,4})['"]/;
const STRINGS =
  /[rbuf]{0,2}(?:"""(?<a>[\s\S]*?)"""|'''(?<b>[\s\S]*?)'''|"(?<c>(?:[^"\\\n]|\\.)*)"|'(?<d>(?:[^'\\\n]|\\.)*)')/g;

/** A script, and the file that it writes: the code in its strings. */
export function writingsOfScript(code: string): Writing[] {
  const script: Writing = { path: '', how: 'script', old: '', text: code };
  const isWriter = /\.write(?:_text|lines)?\(|writeFileSync\(|fileinput/.test(code);
  const path = (OPENED.exec(code) ?? (isWriter ? OPENED_ANY.exec(code) : null))?.groups?.['path'];
  if (!isWriter || path === undefined) return [script];
  const strings = [...code.matchAll(STRINGS)].map(({ groups = {} }) => {
    const long = groups['a'] ?? groups['b'];
    return unescaped(long ?? groups['c'] ?? groups['d'] ?? '');
  });
  const replaced = [...code.matchAll(/\.replace\(\s*/g)].length;
  const written = strings.filter((text) => text !== path && /[\s(=]/.test(text));
  if (replaced === 0) {
    const text = written.join('\n');
    return [script, ...(text === '' ? [] : [{ path, how: 'append', old: '', text } as const])];
  }
  const pairs = written.flatMap((old, at) => {
    const text = written[at + 1];
    return at % 2 === 0 && text !== undefined ? [{ path, how: 'replace', old, text } as const] : [];
  });
  return [script, ...pairs];
}

/** s/old/new/, /old/d, and lines that a, i or c give. */
function editsOfSed(edit: string, path: string): Writing[] {
  const swap =
    /(?:^|[;\s}/\d])s(?<cut>[/|#,@!~])(?<old>.*?)(?<!\\)\k<cut>(?<text>[\s\S]*?)(?<!\\)\k<cut>/g;
  const swaps = [...edit.matchAll(swap)].map(({ groups = {} }): Writing => {
    const old = (groups['old'] ?? '').replaceAll(/\\(.)/g, '$1');
    return { path, how: 'replace', old, text: unescaped(groups['text'] ?? '') };
  });
  const line = /^(?:\d+|\$|\/.*?\/)?\s*[aic]\\?\s*(?<text>[\s\S]+)$/.exec(edit)?.groups?.['text'];
  const gone = /\/(?<old>[^/]+)\/\s*d\b/.exec(edit)?.groups?.['old'];
  return [
    ...swaps,
    ...(swaps.length === 0 && line !== undefined
      ? [{ path, how: 'append', old: '', text: unescaped(line) } as const]
      : []),
    ...(gone === undefined ? [] : [{ path, how: 'replace', old: gone, text: '' } as const]),
  ];
}

const unquoted = (text: string): string => text.replaceAll(/^['"]|['"]$/g, '');
const unescaped = (text: string): string =>
  text.replaceAll(/\\(?<sign>[nt'"\\/])/g, (_, sign: string) =>
    sign === 'n' ? '\n' : sign === 't' ? '\t' : sign,
  );

function fieldsOf(text: string): Fields | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return isFields(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function textAt(fields: Fields, keys: RegExp): string | null {
  for (const [key, value] of Object.entries(fields)) {
    if (!keys.test(key)) continue;
    if (typeof value === 'string') return value;
    if (Array.isArray(value) && value.every((one) => typeof one === 'string')) {
      return value.join('\n');
    }
  }
  return null;
}
