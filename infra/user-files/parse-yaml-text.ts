// YAML as people write it. What a text may not hold is a problem with a line: a syntax error, an unknown tag, an alias
// that is not resolved or that multiplies, nesting beyond what any of our files needs, or a key that every object has.
import {
  type Alias,
  type Document,
  isMap,
  isNode,
  isScalar,
  LineCounter,
  parseDocument,
  visit,
} from 'yaml';

export type YamlPath = readonly PropertyKey[];

export interface YamlText {
  readonly value: unknown;
  /** Line on which the path is set, from 1; null if it is not. */
  readonly lineOf: (path: YamlPath) => number | null;
}

export interface YamlProblem {
  readonly problem: string;
  readonly line: number;
}

const DEPTH_MAX = 64;

export function parseYamlText(text: string): YamlText | YamlProblem {
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
    const fault = document.errors[0] ?? document.warnings[0];
    if (fault !== undefined) {
      const problem = fault.code === 'RESOURCE_EXHAUSTION' ? TOO_DEEP : fault.message;
      return { problem, line: lines.linePos(fault.pos[0]).line };
    }
    const alias = unresolvedAlias(document);
    if (alias !== null) {
      const line = lines.linePos(alias.range?.[0] ?? 0).line;
      return {
        problem: `there is no anchor &${alias.source} before the alias *${alias.source}`,
        line,
      };
    }
    const value: unknown = document.toJS();
    const lineOf = (path: YamlPath): number | null => {
      const offset = offsetOf(document, path);
      return offset === null ? null : lines.linePos(offset).line;
    };
    const refused = findRefused(value);
    if (refused === null) return { value, lineOf };
    return { problem: refused.problem, line: lineOf(refused.path) ?? 1 };
  } catch (error) {
    // The parser descends by calls, so nesting of thousands of levels meets the end of the stack.
    if (error instanceof RangeError) return { problem: TOO_DEEP, line: 1 };
    // Aliases of aliases, which would multiply without end.
    if (error instanceof ReferenceError) return { problem: error.message, line: 1 };
    throw error;
  }
}

function unresolvedAlias(document: Document): Alias | null {
  let found: Alias | null = null;
  visit(document, {
    Alias: (_key, alias) => {
      if (alias.resolve(document) !== undefined) return undefined;
      found = alias;
      return visit.BREAK;
    },
  });
  return found;
}

const TOO_DEEP = `it is nested more than ${DEPTH_MAX} levels deep`;

interface Refused {
  readonly problem: string;
  readonly path: YamlPath;
}

function findRefused(value: unknown, path: YamlPath = []): Refused | null {
  if (typeof value !== 'object' || value === null) return null;
  if (path.length >= DEPTH_MAX) return { problem: TOO_DEEP, path };
  for (const [key, inner] of Object.entries(value)) {
    const at = [...path, key];
    // Assigning to such a key changes an object instead of adding to it.
    if (!Array.isArray(value) && key in {}) {
      return { problem: `"${key}" cannot be a key`, path: at };
    }
    const refused = findRefused(inner, at);
    if (refused !== null) return refused;
  }
  return null;
}

/** Offset of the last key of the path; for an item of a list, of its value. */
function offsetOf(document: Document, path: YamlPath): number | null {
  const key = path.at(-1);
  const parent: unknown =
    path.length > 1 ? document.getIn(path.slice(0, -1), true) : document.contents;
  if (isMap(parent)) {
    const pair = parent.items.find(
      (item) => isScalar(item.key) && String(item.key.value) === String(key),
    );
    return pair && isScalar(pair.key) ? (pair.key.range?.[0] ?? null) : null;
  }
  const node: unknown = document.getIn(path, true);
  return isNode(node) ? (node.range?.[0] ?? null) : null;
}
