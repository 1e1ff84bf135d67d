// Python by its syntax tree: names as they were imported, and what expressions come to where that is written out.
import { parser } from '@lezer/python';
import { TEXT_MAX, VALUE_MAX } from './call.ts';

type Tree = ReturnType<typeof parser.parse>;
export type PythonNode = Tree['topNode'];

/** A string, a list of strings, or null where it is computed. */
export type Value = string | readonly string[] | null;

const DEPTH_MAX = 32;
const LIST_MAX = 200;
/** A node deep in the tree costs as much as its depth. */
const TREE_DEPTH_MAX = 200;

export interface Argument {
  readonly name: string | null;
  readonly node: PythonNode;
}

/** Takes any text; what is broken is left out of the tree. */
export class PythonSource {
  readonly text: string;
  readonly top: PythonNode;
  readonly #imports = new Map<string, string>();
  readonly #values = new Map<string, Value>();

  constructor(text: string) {
    this.text = text.slice(0, TEXT_MAX);
    this.top = parser.parse(this.text).topNode;
    this.visit((node) => {
      if (node.name === 'ImportStatement') this.#readImport(this.textOf(node));
      if (node.name === 'AssignStatement') this.#readAssignment(node);
      return true;
    });
  }

  /** Every node in order, down to a depth that no program of a person has; `enter` says whether to go into it. */
  visit(enter: (node: PythonNode) => boolean): void {
    const cursor = this.top.cursor();
    let depth = 0;
    for (;;) {
      if (depth < TREE_DEPTH_MAX && enter(cursor.node) && cursor.firstChild()) {
        depth++;
        continue;
      }
      while (!cursor.nextSibling()) {
        if (depth === 0 || !cursor.parent()) return;
        depth--;
      }
      if (depth === 0) return;
    }
  }

  textOf({ from, to }: PythonNode): string {
    return this.text.slice(from, to);
  }

  /** Whether a part of the text is no Python. */
  get isBroken(): boolean {
    let found = false;
    this.visit((node) => {
      if (node.type.isError) found = true;
      return !found;
    });
    return found;
  }

  /** The root of an expression as it was imported: `sp.run` is `subprocess.run`. */
  nameOf(node: PythonNode): string {
    const text = this.#dotted(node, 0);
    const [root = '', ...rest] = text.split('.');
    const full = this.#imports.get(root);
    return full === undefined ? text : [full, ...rest].join('.');
  }

  /** Names that came in by an import. */
  isImported(root: string): boolean {
    return [...this.#imports.values()].some((full) => full.split('.')[0] === root);
  }

  argumentsOf(call: PythonNode): Argument[] {
    const found: Argument[] = [];
    let name: string | null = null;
    for (let at = call.getChild('ArgList')?.firstChild ?? null; at !== null; at = at.nextSibling) {
      if (at.name === 'AssignOp') {
        const last = found.pop();
        name = last === undefined ? null : this.textOf(last.node);
        continue;
      }
      if (at.type.isError || /^[(),*]+$|^Comment$/.test(at.name)) continue;
      found.push({ name, node: at });
      name = null;
    }
    return found;
  }

  valueOf(node: PythonNode, depth = 0): Value {
    const value = depth > DEPTH_MAX ? null : this.#evaluate(node, depth);
    // A literal is as long as its text; what is put together is not.
    if (typeof value === 'string')
      return node.name === 'String' ? value : value.slice(0, VALUE_MAX);
    return value === null ? null : value.slice(0, LIST_MAX);
  }

  #evaluate(node: PythonNode, depth: number): Value {
    const text = (one: PythonNode): string | null => {
      const value = this.valueOf(one, depth + 1);
      return typeof value === 'string' ? value : null;
    };
    switch (node.name) {
      case 'String':
        return unquoted(this.textOf(node));
      case 'FormatString':
        return this.#format(unquoted(this.textOf(node)));
      case 'ContinuedString':
        return childrenOf(node)
          .map((child) => text(child) ?? '')
          .join('');
      case 'VariableName':
        return this.#values.get(this.textOf(node)) ?? null;
      case 'ParenthesizedExpression': {
        const inside = childrenOf(node).find((child) => !/^[()]$/.test(child.name));
        return inside === undefined ? null : this.valueOf(inside, depth + 1);
      }
      case 'ArrayExpression':
      case 'TupleExpression':
        return childrenOf(node)
          .filter((child) => !/^[[\](),]$/.test(child.name))
          .map((child) => text(child) ?? this.textOf(child));
      case 'BinaryExpression':
        return this.#binary(node, depth);
      case 'CallExpression':
        return this.#called(node, depth);
      default:
        return null;
    }
  }

  #dotted(node: PythonNode, depth: number): string {
    const first = node.firstChild;
    if (node.name !== 'MemberExpression' || first === null || depth > DEPTH_MAX) {
      if (node.name === 'CallExpression' && first !== null) return this.#made(node, first, depth);
      return node.name === 'VariableName' ? this.textOf(node) : '';
    }
    const property = node.getChild('PropertyName');
    const before = this.#dotted(first, depth + 1);
    return property === null ? before : `${before}.${this.textOf(property)}`;
  }

  /** What a call stands for in a name: a module, an attribute, or the function that made the object. */
  #made(node: PythonNode, callee: PythonNode, depth: number): string {
    const name = this.#dotted(callee, depth + 1);
    const [first, second] = this.argumentsOf(node);
    const text = (one: Argument | undefined): string => {
      const value = one === undefined ? null : this.valueOf(one.node);
      return typeof value === 'string' ? value : '';
    };
    if (/^(?:__import__|importlib\.import_module|import_module)$/.test(name)) return text(first);
    if (name !== 'getattr' || first === undefined || second === undefined) return name;
    return `${this.#dotted(first.node, depth + 1)}.${text(second)}`;
  }

  #readImport(text: string): void {
    const flat = text.replaceAll(/[()\\\s]+/g, ' ').trim();
    const { from, names } =
      /^(?:from (?<from>[\w.]+) )?import (?<names>.*)$/.exec(flat)?.groups ?? {};
    for (const one of (names ?? '').split(',')) {
      const { name, as } = /^\s*(?<name>[\w.]+)(?: as (?<as>\w+))?\s*$/.exec(one)?.groups ?? {};
      if (name === undefined) continue;
      const full = from === undefined ? name : `${from}.${name}`;
      if (as !== undefined) this.#imports.set(as, full);
      // `import a.b` brings in `a`.
      else if (from === undefined)
        this.#imports.set(name.split('.')[0] ?? name, name.split('.')[0] ?? name);
      else this.#imports.set(name, full);
    }
  }

  #readAssignment(node: PythonNode): void {
    const [target, sign, value] = childrenOf(node);
    if (target?.name !== 'VariableName' || sign?.name !== 'AssignOp' || value === undefined) return;
    const known = this.valueOf(value);
    if (known !== null) this.#values.set(this.textOf(target), known);
  }

  #binary(node: PythonNode, depth: number): Value {
    const [left, sign, right] = childrenOf(node);
    if (left === undefined || right === undefined || sign === undefined) return null;
    const [a, b] = [this.valueOf(left, depth + 1), this.valueOf(right, depth + 1)];
    const operator = this.textOf(sign);
    if (operator === '%') return a;
    if (operator === '+' && Array.isArray(a) && Array.isArray(b)) return [...a, ...b];
    if (typeof a !== 'string' && typeof b !== 'string') return null;
    const joined = [a, b].map((one) => (typeof one === 'string' ? one : ''));
    if (operator === '+') return joined.join('');
    return operator === '/' ? joined.join('/') : null;
  }

  /** Calls that only hand on or put together what they are given. */
  #called(node: PythonNode, depth: number): Value {
    const callee = node.firstChild;
    if (callee === null) return null;
    const name = this.nameOf(callee);
    const values = this.argumentsOf(node).map((one) => this.valueOf(one.node, depth + 1));
    const [first = null] = values;
    if (
      /(?:^|\.)(?:Path|PurePath|PosixPath|str|fspath|abspath|expanduser|dedent|Request|list)$/.test(
        name,
      )
    ) {
      if (name.endsWith('Path')) return values.filter((one) => typeof one === 'string').join('/');
      return first;
    }
    if (/(?:^|\.)path\.join$/.test(name)) {
      return values
        .map((one) => (typeof one === 'string' ? one : ''))
        .filter(Boolean)
        .join('/');
    }
    if (name.endsWith('shlex.split') && typeof first === 'string') return first.split(/\s+/);
    const object = callee.name === 'MemberExpression' ? callee.firstChild : null;
    const method = callee.getChild('PropertyName');
    if (object === null || method === null) return null;
    const own = this.valueOf(object, depth + 1);
    const called = this.textOf(method);
    if (called === 'split' && typeof own === 'string') return own.split(/\s+/).filter(Boolean);
    if (called === 'join' && typeof own === 'string')
      return Array.isArray(first) ? first.join(own) : null;
    return /^(?:format|strip|encode|resolve|absolute|lower|replace|rstrip|lstrip)$/.test(called)
      ? own
      : null;
  }

  #format(text: string): string {
    return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
      const value = this.#values.get(name);
      return typeof value === 'string' ? value : whole;
    });
  }
}

export function childrenOf(node: PythonNode): PythonNode[] {
  const found: PythonNode[] = [];
  for (let at = node.firstChild; at !== null; at = at.nextSibling) {
    if (!at.type.isError) found.push(at);
  }
  return found;
}

/** The value of a string's source text. */
export function unquoted(source: string): string {
  const { prefix = '', body = '' } =
    /^(?<prefix>[A-Za-z]*)(?<quote>"""|'''|"|')(?<body>[\s\S]*?)\k<quote>?$/.exec(source)?.groups ??
    {};
  if (/r/i.test(prefix)) return body;
  return body.replaceAll(/\\(?<sign>[\s\S])/g, (_, sign: string) => ESCAPES[sign] ?? sign);
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\n': '' };
