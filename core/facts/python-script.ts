// What an inline Python script does to the world outside: commands it starts, files it opens, addresses it asks.
import { type Act, act, ACTS_MAX, type Script } from './call.ts';
import { normalPath, URL } from './paths.ts';
import type { PythonNode, PythonSource, Value } from './python-tree.ts';

/** A command that the script starts: words where it was given a list, else a shell text. */
export type Started = { readonly words: readonly string[] } | { readonly script: Script };

const STARTS =
  /^(?:subprocess\.(?:run|call|check_call|check_output|Popen|getoutput|getstatusoutput)|os\.(?:system|popen|startfile)|commands\.getoutput|pty\.spawn|asyncio\.create_subprocess_(?:shell|exec)|pexpect\.(?:run|spawn)|sh\.bash)$/;
const STARTS_WITH_LIST = /^os\.(?:exec|spawn)[lv]p?e?$/;
const NETWORK =
  /^(?:requests|urllib[23]?|httpx|aiohttp|http\.client|socket|ftplib|paramiko|wget|pycurl|websockets?|telnetlib|xmlrpc|smtplib|gdown|huggingface_hub)\./;
/** Calls of those modules that only prepare or take apart. */
const NETWORK_QUIET =
  /\.(?:quote|unquote|urlencode|urlparse|urljoin|parse_qs|gethostname|Request|Session|request\.Request)$|^urllib\.(?:parse|error)/;
const VERSION_CONTROL = /^(?:git|pygit2|dulwich|pydriller|hglib)\./;
const WRITES =
  /^(?:os\.(?:remove|unlink|rename|replace|truncate|symlink|link)|shutil\.(?:rmtree|move|copy2?|copyfile|copytree)|pathlib\.Path\.unlink)$/;
const READS =
  /^(?:linecache\.getlines?|inspect\.getsource(?:file|lines)?|runpy\.run_path|numpy\.load|pandas\.read_\w+)$/;
const LISTS = /^(?:os\.(?:listdir|walk|scandir)|glob\.i?glob)$/;
const PATH_WRITES =
  /^(?:write_text|write_bytes|touch|unlink|rename|replace|symlink_to|hardlink_to)$/;
const PATH_READS = /^(?:read_text|read_bytes)$/;

/** In the order of the text. `start` opens what the script runs as a command of its own. */
export function actsOfPython(
  source: PythonSource,
  folder: string,
  start: (started: Started) => Act[],
): Act[] {
  const acts: Act[] = [];
  source.visit((node) => {
    if (acts.length >= ACTS_MAX) return false;
    if (node.name === 'CallExpression') acts.push(...actsOfCall(source, node, folder, start));
    return true;
  });
  return acts;
}

function actsOfCall(
  source: PythonSource,
  node: PythonNode,
  folder: string,
  start: (started: Started) => Act[],
): Act[] {
  const callee = node.firstChild;
  if (callee === null) return [];
  const name = source.nameOf(callee);
  const given = source.argumentsOf(node);
  const values = given.map((one) => source.valueOf(one.node));
  const named = (key: string): Value => {
    const at = given.findIndex((one) => one.name === key);
    return at === -1 ? null : (values[at] ?? null);
  };
  const first = values[0] ?? named('args') ?? named('cmd') ?? null;
  const at = (path: string): string => normalPath(path, folder);
  if (STARTS.test(name)) return startOf(first, name, start);
  if (/^(?:builtins\.)?(?:exec|eval)$/.test(name) && typeof first === 'string') {
    return start({ script: { language: 'python', text: first } }).filter(
      ({ kind }) => kind !== 'run',
    );
  }
  if (STARTS_WITH_LIST.test(name))
    return startOf(
      values.flatMap((one) => one ?? []),
      name,
      start,
    );
  if (/^(?:pip|pip\._internal)\.main$|^pip\._internal\.cli\.main\.main$/.test(name)) {
    return startOf(['pip', ...(Array.isArray(first) ? first : [])], name, start);
  }
  if (name === 'pytest.main') return startOf(['pytest', ...[first ?? []].flat()], name, start);
  if (name === 'unittest.main') return [act('test', 'unittest')];
  if (NETWORK.test(name) && !NETWORK_QUIET.test(name) && !isOfResult(source, callee)) {
    const url =
      values
        .flat()
        .map((one) => URL.exec(one ?? '')?.[0])
        .find(Boolean) ?? null;
    const host = typeof first === 'string' ? first : (values.flat().find(Boolean) ?? null);
    return [act('network', name, { args: texts(values), url: url ?? host })];
  }
  if (VERSION_CONTROL.test(name)) return [versionControl(source, callee, name, texts(values))];
  if (name === 'open' || name === 'io.open' || name === 'codecs.open' || name === 'os.open') {
    return fileAct(name, first ?? named('file'), isWriteMode(values[1] ?? named('mode')), at);
  }
  if (WRITES.test(name)) return moved(name, texts(values).map(at));
  if (READS.test(name)) return fileAct(name, first, false, at);
  if (LISTS.test(name)) return [act('search', name, { paths: texts([first]).map(at) })];
  return methodAct(source, callee, values, at);
}

/** `urlopen(…).read()` asks once. */
const isOfResult = (source: PythonSource, callee: PythonNode): boolean =>
  source.textOf(callee).includes('(') &&
  !/\.(?:get|post|put|patch|head|request|urlopen|send|connect)$/.test(source.textOf(callee));

const texts = (values: readonly Value[]): string[] => values.flatMap((one) => one ?? []);

function startOf(command: Value, name: string, start: (started: Started) => Act[]): Act[] {
  if (command === null) return [act('run', name)];
  if (typeof command === 'string') return start({ script: { language: 'shell', text: command } });
  return command.length === 0 ? [act('run', name)] : start({ words: command });
}

/** GitPython's `repo.git.log(…)` is `git log`. */
function versionControl(
  source: PythonSource,
  callee: PythonNode,
  name: string,
  args: string[],
): Act {
  const method = /\.git\.(?<sub>\w+)$/.exec(source.textOf(callee))?.groups?.['sub'];
  return act('vcs', method === undefined ? name : `git ${method.replaceAll('_', '-')}`, { args });
}

const isWriteMode = (mode: Value): boolean => typeof mode === 'string' && /[wax+]/.test(mode);

function fileAct(name: string, path: Value, wrote: boolean, at: (path: string) => string): Act[] {
  const paths = typeof path === 'string' && path !== '' ? [at(path)] : [];
  return [act(wrote ? 'edit' : 'read', name, { paths, wrote: wrote && paths.length > 0 })];
}

/** A copy reads its source; everything else here changes all that it names. */
function moved(name: string, paths: readonly string[]): Act[] {
  if (!name.includes('copy') || paths.length < 2) {
    return [act('edit', name, { paths, wrote: paths.length > 0 })];
  }
  const [from = '', to = ''] = paths;
  return [act('read', name, { paths: [from] }), act('edit', name, { paths: [to], wrote: true })];
}

/** Methods of a path: `Path('a').write_text(…)`, `p.open('w')`. */
function methodAct(
  source: PythonSource,
  callee: PythonNode,
  values: readonly Value[],
  at: (path: string) => string,
): Act[] {
  const object = callee.name === 'MemberExpression' ? callee.firstChild : null;
  const method = callee.getChild('PropertyName');
  if (object === null || method === null) return [];
  const called = source.textOf(method);
  const root = source.nameOf(object);
  // GitPython again, by a variable: `repo.git.log()` where git was imported.
  if (root.endsWith('.git') && source.isImported('git')) {
    return [act('vcs', `git ${called.replaceAll('_', '-')}`, { args: texts(values) })];
  }
  const isWrite = PATH_WRITES.test(called) || (called === 'open' && isWriteMode(values[0] ?? null));
  if (!isWrite && !PATH_READS.test(called) && called !== 'open') return [];
  const path = source.valueOf(object);
  if (typeof path !== 'string' || (called === 'replace' && values.length > 1)) return [];
  return fileAct(called, path, isWrite, at);
}
