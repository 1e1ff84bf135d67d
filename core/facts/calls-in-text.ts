// Calls that agents without a tool interface write into their text: in tags, as JSON, behind labels, in fenced blocks.
import { type AgentCall, parseFields } from './agent-log.ts';

const CALLS_MAX = 64;
const TEXT_MAX = 200_000;

const called = (name: string, arguments_: string): AgentCall => ({
  id: null,
  name,
  arguments: arguments_,
});
const fielded = (name: string, fields: object): AgentCall => called(name, JSON.stringify(fields));

/** The first form that finds any decides: one agent keeps to one. */
export function callsInText(whole: string): AgentCall[] {
  const text = whole.slice(0, TEXT_MAX);
  for (const form of [functionTags, invokeTags, toolCallTags, codeTags, toolTags, json, react]) {
    const found = form(text);
    if (found.length > 0) return found.slice(0, CALLS_MAX);
  }
  return [...searchReplaceBlocks(text), ...fences(text)].slice(0, CALLS_MAX);
}

const FUNCTION = /<function=(?<name>[\w.-]+)>(?<body>[\s\S]*?)(?:<\/function>|$)/g;
const PARAMETER = /<parameter=(?<name>[\w.-]+)>\n?(?<value>[\s\S]*?)\n?(?:<\/parameter>|$)/g;

function functionTags(text: string): AgentCall[] {
  return [...text.matchAll(FUNCTION)].map(({ groups = {} }) => {
    const { name = '', body = '' } = groups;
    const fields = pairsIn(body, PARAMETER);
    if (fields.length === 0 && parseFields(body) !== null) return called(name, body);
    return fielded(name, Object.fromEntries(fields));
  });
}

const INVOKE =
  /<(?:\w+:)?invoke name="(?<name>[^"]{1,200})">(?<body>[\s\S]*?)(?:<\/(?:\w+:)?invoke>|$)/g;
const INVOKE_PARAMETER =
  /<(?:\w+:)?parameter name="(?<name>[^"]{1,200})"[^>]*>\n?(?<value>[\s\S]*?)\n?<\/(?:\w+:)?parameter>/g;

const invokeTags = (text: string): AgentCall[] =>
  [...text.matchAll(INVOKE)].map(({ groups = {} }) =>
    fielded(
      groups['name'] ?? '',
      Object.fromEntries(pairsIn(groups['body'] ?? '', INVOKE_PARAMETER)),
    ),
  );

const TOOL_CALL =
  /<tool_call>(?<tagged>[\s\S]*?)(?:<\/tool_call>|$)|\[TOOL_CALLS\]\s*(?<listed>[\s\S]*)$/g;
const ARGUMENT =
  /<arg_key>(?<name>[\s\S]*?)<\/arg_key>\s*<arg_value>(?<value>[\s\S]*?)<\/arg_value>/g;

function toolCallTags(text: string): AgentCall[] {
  return [...text.matchAll(TOOL_CALL)].flatMap(({ groups = {} }) => {
    const body = groups['tagged'] ?? groups['listed'] ?? '';
    const found = callsOfValue(parsed(body));
    if (found.length > 0) return found;
    const fields = pairsIn(body, ARGUMENT);
    const name = /^\s*(?<name>[\w.-]+)/.exec(body)?.groups?.['name'] ?? '';
    return [fields.length > 0 ? fielded(name, Object.fromEntries(fields)) : called('', body)];
  });
}

const CODE_TAG =
  /<(?<tag>execute_(?:bash|ipython|python)|bash|shell|cmd|command|code|python|tool_code)>(?<code>[\s\S]*?)(?:<\/\k<tag>>|$)/g;

/** A tag that stands within another is a parameter of a tool. */
function codeTags(text: string): AgentCall[] {
  const found = [...text.matchAll(CODE_TAG)].filter(
    ({ index }) => !/<[a-z]\w*>\s*$/.test(text.slice(Math.max(0, index - 100), index)),
  );
  return found.map(({ groups = {} }) => {
    const { tag = '', code = '' } = groups;
    const isPython = /python|code/.test(tag);
    const body = code.replace(/^\s*```\w*\n/, '').replace(/\n```\s*$/, '');
    return called(isPython ? 'python' : 'bash', isPython ? body : body.trim());
  });
}

const TOOL_TAG = /^[ \t]*<(?<name>[a-z]+(?:_[a-z]+)+)>[ \t]*\n?(?<body>\s*<[\s\S]*?)<\/\k<name>>/gm;
const FIELD_TAG = /<(?<name>[a-z]\w*)>\n?(?<value>[\s\S]*?)\n?<\/\k<name>>/g;

/** `<read_file><path>a.py</path></read_file>` */
const toolTags = (text: string): AgentCall[] =>
  [...text.matchAll(TOOL_TAG)].flatMap(({ groups = {} }) => {
    const fields = pairsIn(groups['body'] ?? '', FIELD_TAG);
    return fields.length === 0 ? [] : [fielded(groups['name'] ?? '', Object.fromEntries(fields))];
  });

const pairsIn = (body: string, parameter: RegExp): [string, string][] =>
  [...body.matchAll(parameter)].map(({ groups = {} }) => [
    groups['name'] ?? '',
    (groups['value'] ?? '').replace(/^\s*<!\[CDATA\[(?<text>[\s\S]*?)\]\]>\s*$/, '$<text>'),
  ]);

/** The whole text, or what of it stands behind some prose, is one JSON value. */
function json(text: string): AgentCall[] {
  const start = /^[ \t]*(?:```json\s*)?(?<value>[[{])/m.exec(text);
  if (start === null) return [];
  const from = start.index + start[0].length - 1;
  const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']')) + 1;
  return callsOfValue(parsed(text.slice(from, end)));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const NAME_KEYS = ['name', 'tool', 'tool_name', 'function', 'action', 'recipient_name'];
const ARGUMENT_KEYS = [
  'arguments',
  'parameters',
  'args',
  'input',
  'action_input',
  'tool_input',
  'params',
];
const LIST_KEYS = ['tool_calls', 'commands', 'actions', 'tool_uses', 'steps', 'calls'];
const COMMAND_KEYS = ['command', 'cmd', 'keystrokes', 'bash', 'shell'];

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function callsOfValue(value: unknown, depth = 0): AgentCall[] {
  if (depth > 3) return [];
  if (Array.isArray(value)) return value.flatMap((one) => callsOfValue(one, depth + 1));
  if (!isFields(value)) return [];
  const found = (keys: readonly string[]): unknown =>
    keys.map((key) => value[key]).find((one) => one !== undefined && one !== null);
  const name = found(NAME_KEYS);
  const given = found(ARGUMENT_KEYS);
  if (typeof name === 'string') {
    const rest = Object.entries(value).filter(([key]) => !NAME_KEYS.includes(key));
    const arguments_ = given ?? Object.fromEntries(rest);
    return [called(name, typeof arguments_ === 'string' ? arguments_ : JSON.stringify(arguments_))];
  }
  if (isFields(name)) return callsOfValue(name, depth + 1);
  const list = found(LIST_KEYS);
  if (Array.isArray(list)) {
    return list.flatMap((one: unknown) =>
      typeof one === 'string' ? [called('bash', one)] : callsOfValue(one, depth + 1),
    );
  }
  const command = found(COMMAND_KEYS);
  if (typeof command === 'string') return [fielded('bash', { command: command.trimEnd() })];
  if (isFields(command)) return callsOfValue(command, depth + 1);
  return typeof value['code'] === 'string' ? [fielded('python', { code: value['code'] })] : [];
}

const NESTED_KEYS = ['tool_calls', 'tool_uses', 'invocations', 'calls', 'commands', 'actions'];
const WRAPPER_KEYS = ['payload', 'params', 'action', 'request', 'kwargs', ...ARGUMENT_KEYS];

/** What a call hands on to other tools, as calls of these; else the call itself. */
export function callsWithin(call: AgentCall): AgentCall[] {
  const fields = parseFields(call.arguments);
  if (fields === null) return [call];
  const list = NESTED_KEYS.map((key) => fields[key]).find(Array.isArray) ?? [];
  const inner = list.some(isFields) ? list.flatMap((one: unknown) => callsOfValue(one)) : [];
  if (inner.length > 0) return inner.slice(0, CALLS_MAX).map((one) => ({ ...one, id: call.id }));
  const wrapped = WRAPPER_KEYS.map((key) => fields[key]).find(isFields);
  if (wrapped === undefined) return [call];
  const told = NAME_KEYS.map((key) => fields[key]).find((one) => typeof one === 'string');
  const rest = Object.keys(fields).length;
  if (told === undefined && rest > 1) return [call];
  const name = typeof told === 'string' ? told : call.name;
  return [{ id: call.id, name, arguments: JSON.stringify(wrapped) }];
}

const REACT =
  /^[ \t]*Action:[ \t]*(?<name>[\w.-]+)[ \t]*\n+[ \t]*Action[ _]Input:[ \t]*(?<given>[\s\S]*?)(?=\n[ \t]*(?:Observation|Thought|Action)\b|$(?![\s\S]))/gim;

/** Thought, Action, Action Input. */
const react = (text: string): AgentCall[] =>
  [...text.matchAll(REACT)].map(({ groups = {} }) => {
    const given = (groups['given'] ?? '').trim();
    const block = /^```\w*\n(?<code>[\s\S]*?)\n?```$/.exec(given)?.groups?.['code'];
    return called(groups['name'] ?? '', block ?? given);
  });

const SEARCH_REPLACE =
  /^(?<path>[^\s`<>]+)[ \t]*\n(?:```\w*\n)?<{5,9} ?SEARCH\n(?<old>[\s\S]*?)^={5,9}\n(?<text>[\s\S]*?)^>{5,9} ?REPLACE/gm;

/** A path, then what is found and what replaces it, between marks as of a merge conflict. */
const searchReplaceBlocks = (text: string): AgentCall[] =>
  [...text.matchAll(SEARCH_REPLACE)].map(({ groups = {} }) =>
    fielded('edit', {
      path: groups['path'] ?? '',
      old_string: groups['old'] ?? '',
      new_string: groups['text'] ?? '',
    }),
  );

const FENCE =
  /^[ \t]*```[ \t]*(?<language>[\w-]*)[ \t]*\n(?<code>[\s\S]*?)^[ \t]*```(?<end>(?:\s*<end_code>)?)/gm;
const SHELL_FENCE = /^(?:bash|sh|shell|console|zsh|execute_bash|mswea_bash_command|tool_code)$/;

/** A block of shell is a call; one of Python or of no language only where the agent says that it is run. */
function fences(text: string): AgentCall[] {
  const isLabelled = /^[ \t]*(?:DISCUSSION|COMMAND)\b/m.test(text);
  return [...text.matchAll(FENCE)].flatMap(({ groups = {}, index }) => {
    const { language = '', code = '', end = '' } = groups;
    if (SHELL_FENCE.test(language)) return [called('bash', code)];
    const before = text.slice(Math.max(0, index - 40), index);
    const isRun = end !== '' || /\bCode:\s*$/.test(before);
    if (/^(?:py|python)?$/.test(language) && isRun) return [called('python', code)];
    return language === '' && isLabelled ? [called('bash', code)] : [];
  });
}
