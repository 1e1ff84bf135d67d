// Names and literals in the added lines of Python, by the syntax tree of the hunk as it stands after the change.
import type { Hunk } from './diff-hunks.ts';
import type { Findings } from './line-findings.ts';
import { type PythonNode, PythonSource } from './python-tree.ts';

const LITERAL_MAX = 200;
const SCOPE_DEPTH_MAX = 32;

export function findingsInPython(hunk: Hunk): Findings {
  const { text, added } = textAfter(hunk);
  const source = new PythonSource(text);
  const calls: string[] = [];
  const defines: string[] = [];
  const literals: string[] = [];
  source.visit((node) => {
    if (!added(node)) return true;
    const name = callOf(source, node);
    if (name !== '') calls.push(name);
    defines.push(...definedBy(source, node));
    const literal = literalOf(source, node);
    if (literal !== null) literals.push(literal.slice(0, LITERAL_MAX));
    return literal === null;
  });
  return { calls, defines, literals };
}

/** The hunk without what it removes, under the class that its heading names; `added` tells nodes that begin on a new line. */
function textAfter({ heading, lines }: Hunk) {
  const after = lines.filter(({ mark }) => mark !== 'removed');
  const first = after.find(({ text }) => text.trim() !== '')?.text ?? '';
  const isInside = /^[ \t]/.test(first);
  const header = isInside ? (/^(?:async\s+)?(?:class|def)\s+\w+/.exec(heading)?.[0] ?? null) : null;
  const top = header === null ? (isInside ? 'if True:\n' : '') : `${header}():\n`;
  const starts: number[] = [];
  let text = top;
  for (const line of after) {
    starts.push(text.length);
    text += `${line.text}\n`;
  }
  const added = ({ from }: PythonNode): boolean => {
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= from) low = middle + 1;
      else high = middle;
    }
    return low > 0 && after[low - 1]?.mark === 'added';
  };
  return { text, added };
}

/** What is called, used as a decorator, or raised without a call. */
function callOf(source: PythonSource, node: PythonNode): string {
  const isRaised = node.name === 'RaiseStatement';
  if (node.name !== 'CallExpression' && node.name !== 'Decorator' && !isRaised) return '';
  for (let at = node.firstChild; at !== null; at = at.nextSibling) {
    if (/^(?:VariableName|MemberExpression)$/.test(at.name)) {
      const rest = node.name === 'Decorator' ? source.textOf(node).slice(1) : null;
      return rest === null ? source.nameOf(at) : (/^\s*([\w.]+)/.exec(rest)?.[1] ?? '');
    }
    if (at.name === 'CallExpression' && !isRaised) return source.nameOf(at);
  }
  return '';
}

function definedBy(source: PythonSource, node: PythonNode): string[] {
  if (node.name === 'FunctionDefinition' || node.name === 'ClassDefinition') {
    const name = node.getChild('VariableName');
    return name === null ? [] : [scoped(source, node, source.textOf(name))];
  }
  if (node.name === 'CallExpression') return setAttribute(source, node);
  if (node.name !== 'AssignStatement') return [];
  const isLocal = scopeOf(source, node).isFunction;
  const names: string[] = [];
  const isTarget = ({ to }: PythonNode): boolean =>
    node.getChildren('AssignOp').some(({ from }) => from >= to);
  for (let at = node.firstChild; at !== null && isTarget(at); at = at.nextSibling) {
    if (at.name === 'MemberExpression' && at.getChild('PropertyName') !== null) {
      names.push(source.nameOf(at));
    }
    if (at.name === 'VariableName' && !isLocal) names.push(scoped(source, node, source.textOf(at)));
  }
  return names;
}

/** `setattr(time, 'sleep', f)` assigns an attribute, and so does pytest's monkeypatch. */
function setAttribute(source: PythonSource, node: PythonNode): string[] {
  const callee = node.firstChild;
  if (callee === null || !/(?:^|\.)setattr$/.test(source.nameOf(callee))) return [];
  const [object, attribute] = source.argumentsOf(node);
  if (object === undefined) return [];
  const name = attribute === undefined ? null : source.valueOf(attribute.node);
  const whole = source.valueOf(object.node);
  if (typeof whole === 'string') return [whole];
  return typeof name === 'string' ? [`${source.nameOf(object.node)}.${name}`] : [];
}

const scoped = (source: PythonSource, node: PythonNode, name: string): string =>
  [...scopeOf(source, node).names, name].join('.');

/** Enclosing definitions, outermost first. */
function scopeOf(source: PythonSource, node: PythonNode) {
  const names: string[] = [];
  let isFunction = false;
  let at = node.parent;
  for (let depth = 0; at !== null && depth < SCOPE_DEPTH_MAX; at = at.parent) {
    if (at.name !== 'FunctionDefinition' && at.name !== 'ClassDefinition') continue;
    depth++;
    const name = at.getChild('VariableName');
    if (name !== null) names.unshift(source.textOf(name));
    if (at.name === 'FunctionDefinition') isFunction = true;
  }
  return { names, isFunction };
}

/** The source of a literal; a string that is a statement of its own is a docstring. */
function literalOf(source: PythonSource, node: PythonNode): string | null {
  switch (node.name) {
    case 'Number': {
      const parent = node.parent;
      const isNegative =
        parent?.name === 'UnaryExpression' && source.textOf(parent).startsWith('-');
      return source.textOf(isNegative && parent !== null ? parent : node);
    }
    case 'String':
    case 'FormatString':
    case 'ContinuedString':
      return node.parent?.name === 'ExpressionStatement' ? null : source.textOf(node);
    case 'Boolean':
    case 'None':
      return source.textOf(node);
    default:
      return null;
  }
}
