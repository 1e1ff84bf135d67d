// Parses YAML with a schema. Errors name the line.
import { LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';

/** A file of harness/ that cannot be used. The message is `file:line: what, and the cure`. */
export class CatalogError extends Error {
  constructor(path: string, line: number, problem: string) {
    super(`${path}:${line}: ${problem}`);
    this.name = 'CatalogError';
  }
}

/** `linesBefore` is the number of lines before the text in its file. */
export function parseYaml<Value>(
  path: string,
  text: string,
  schema: z.ZodType<Value>,
  linesBefore = 0,
): Value {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [fault] = document.errors;
  if (fault !== undefined) {
    throw new CatalogError(path, (fault.linePos?.[0].line ?? 1) + linesBefore, fault.message);
  }
  const parsed = schema.safeParse(document.toJS());
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') ?? '';
  const node: unknown = document.getIn(issue?.path ?? [], true);
  const line = lines.linePos(startOf(node)).line || 1;
  const what = `${field || 'the head'}: ${issue?.message ?? 'is not valid'}`;
  throw new CatalogError(path, line + linesBefore, what);
}

function startOf(node: unknown): number {
  if (typeof node !== 'object' || node === null || !('range' in node)) return 0;
  return Array.isArray(node.range) ? Number(node.range[0]) : 0;
}
