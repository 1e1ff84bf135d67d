// Parses YAML with a schema. Errors name the line.
import type { z } from 'zod';
import { issueText, pathText } from '../../core/schemas/issue-text.ts';
import { UserFault } from '../../core/user-fault.ts';
import { parseYamlText } from '../user-files/parse-yaml-text.ts';

/** A file of harness/ that cannot be used. The message is `file:line: what, and the cure`. */
export class CatalogError extends UserFault {
  constructor(path: string, line: number, problem: string) {
    super(`${path}:${line}: ${problem}`);
  }
}

/** `linesBefore` is the number of lines before the text in its file. */
export function parseYaml<Value>(
  path: string,
  text: string,
  schema: z.ZodType<Value>,
  linesBefore = 0,
): Value {
  const document = parseYamlText(text);
  if ('problem' in document) {
    throw new CatalogError(path, document.line + linesBefore, document.problem);
  }
  const parsed = schema.safeParse(document.value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  if (issue === undefined) throw parsed.error;
  const line = document.lineOf(issue.path) ?? 1;
  const what = `${pathText(issue.path) || 'the head'}: ${issueText(issue, document.value)}`;
  throw new CatalogError(path, line + linesBefore, what);
}
