// Names and literals in the added lines of files that are read by line: any language but Python, and settings.
import type { Hunk } from './diff-hunks.ts';

export interface Findings {
  readonly calls: readonly string[];
  readonly defines: readonly string[];
  readonly literals: readonly string[];
}

const CALL = /(?<![\w$.])(?<name>[A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*)*!?)\s*\(/g;
const KEYWORD =
  /^(?:if|for|while|switch|catch|return|function|func|fn|def|new|typeof|await|and|or|not|in|elif|sizeof|match|class)$/;
const DEFINITION =
  /\b(?:function\*?|class|interface|struct|enum|trait|fn|func(?:\s*\([^)]*\))?|def|module|type|impl)\s+(?<name>[A-Za-z_$][\w$.]*)/g;
const ASSIGNMENT =
  /^(?:export\s+)?(?:(?:const|let|var|static|final|public|private)\s+)*(?<name>[A-Za-z_$][\w$-]*(?:\.[A-Za-z_$][\w$-]*)*)\s*(?::=|=(?![=>])|:(?!:))/;
const LITERAL =
  /(?<![\w$])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?\b|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`\n]*`|\b(?:true|false|null|nil)\b/gi;
const COMMENT = /^(?:\/\/|\/\*|\*|#(?!\[)|--|;)/;
const LITERAL_MAX = 200;
const LINE_MAX = 1000;

export function findingsInLines({ lines }: Hunk): Findings {
  const calls: string[] = [];
  const defines: string[] = [];
  const literals: string[] = [];
  for (const { text, mark } of lines) {
    const line = text.trim().slice(0, LINE_MAX);
    if (mark !== 'added' || line === '' || COMMENT.test(line)) continue;
    const code = line.replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '""');
    const defined = [...code.matchAll(DEFINITION)].map(({ groups }) => groups?.['name'] ?? '');
    defines.push(...defined);
    for (const { groups } of code.matchAll(CALL)) {
      const name = groups?.['name'] ?? '';
      if (KEYWORD.test(name) || defined.includes(name)) continue;
      calls.push(name.replaceAll(/::|->/g, '.'));
    }
    const assigned = ASSIGNMENT.exec(code)?.groups?.['name'];
    if (assigned !== undefined && !KEYWORD.test(assigned)) defines.push(assigned);
    for (const [literal] of line.matchAll(LITERAL)) literals.push(literal.slice(0, LITERAL_MAX));
  }
  return { calls, defines, literals };
}
