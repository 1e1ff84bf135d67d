// Source text as statements with the place they stand in: what a regular expression may then ask of each.

export type Mark = 'added' | 'removed' | 'kept';

export interface SourceLine {
  readonly text: string;
  readonly mark: Mark;
}

export interface Statement {
  /** One logical line, blanks between its parts evened out, without comments. */
  readonly text: string;
  /** Enclosing classes and functions, joined by dots; '' at module level. */
  readonly scope: string;
  /** Headers of the enclosing blocks that are neither, outermost first, joined by ' > '. */
  readonly under: string;
  readonly mark: Mark;
}

interface Block {
  readonly indent: number;
  readonly name: string | null;
  readonly header: string | null;
}

interface Logical {
  readonly parts: readonly string[];
  readonly indent: number;
  readonly mark: Mark;
  /** The physical line after it. */
  readonly next: number;
}

const DEFINITION = /^(?:async\s+)?(?:def|class)\s+(?<name>\w+)/;
const BLOCK =
  /^(?:async\s+)?(?:if|elif|else|for|while|try|except|finally|with|match|case|def|class)\b/;
/** Longer brackets than this are a table of data or an unbalanced cut of a file. */
const LOGICAL_LINES_MAX = 400;

/** Python, also in cuts: an opening that never closes is read as a line of its own. `heading` is a hunk's. */
export function statementsOf(lines: readonly SourceLine[], heading = ''): Statement[] {
  const statements: Statement[] = [];
  const blocks: Block[] = [];
  const first = lines.find(({ text }) => text.trim() !== '');
  const name = DEFINITION.exec(heading.trim())?.groups?.['name'];
  if (name !== undefined && first !== undefined && indentOf(first.text) > 0) {
    blocks.push({ indent: -1, name, header: null });
  }
  for (let at = 0; at < lines.length;) {
    const logical = readLogical(lines, at) ?? lineAlone(lines, at);
    at = logical.next;
    if (logical.parts.length === 0) continue;
    while ((blocks.at(-1)?.indent ?? -2) >= logical.indent) blocks.pop();
    const inline: Block[] = [];
    for (const text of logical.parts) {
      const around = [...blocks, ...inline];
      if (!isText(text)) statements.push({ text, ...placeOf(around), mark: logical.mark });
      if (BLOCK.test(text) && text.endsWith(':')) inline.push(blockOf(text, logical.indent));
    }
    // What follows on the same line is inside; only a header that ends its line opens for the next.
    const last = logical.parts.at(-1) ?? '';
    if (BLOCK.test(last) && last.endsWith(':')) blocks.push(...inline.slice(-1));
  }
  return statements;
}

const placeOf = (blocks: readonly Block[]): Pick<Statement, 'scope' | 'under'> => ({
  scope: blocks.flatMap(({ name }) => (name === null ? [] : [name])).join('.'),
  under: blocks.flatMap(({ header }) => (header === null ? [] : [header])).join(' > '),
});

function blockOf(header: string, indent: number): Block {
  const name = DEFINITION.exec(header)?.groups?.['name'] ?? null;
  return { indent, name, header: name === null ? header.slice(0, -1) : null };
}

/** A bare string is a comment: a docstring. One in the words of a test report is not for the reader of the code. */
const isText = (text: string): boolean =>
  !/\bPASSED\b|\.\.\. ok\b|--- PASS|\d passed\b/.test(text) &&
  /^[rbuf]{0,2}(?:"""[\s\S]*"""|'''[\s\S]*'''|"[^"]*"|'[^']*')$/i.test(text);

const indentOf = (text: string): number => {
  const blank = /^[ \t]*/.exec(text)?.[0] ?? '';
  return blank.replaceAll('\t', '        ').length;
};

function lineAlone(lines: readonly SourceLine[], at: number): Logical {
  const { text = '', mark = 'kept' } = lines[at] ?? {};
  const bare = text.replace(/(^|\s)#.*$/, '').trim();
  return { parts: bare === '' ? [] : [bare], indent: indentOf(text), mark, next: at + 1 };
}

/** From `at` to where all brackets and strings are closed; null where they never are. */
function readLogical(lines: readonly SourceLine[], at: number): Logical | null {
  const parts: string[] = [];
  let part = '';
  let depth = 0;
  let quote: string | null = null;
  let mark: Mark = 'kept';
  const end = Math.min(lines.length, at + LOGICAL_LINES_MAX);
  for (let line = at; line < end; line++) {
    const { text, mark: own } = lines[line] ?? { text: '', mark: 'kept' };
    if (own !== 'kept' && text.trim() !== '') mark = own;
    let isContinued = false;
    for (let i = 0; i < text.length; i++) {
      const rest = text.slice(i);
      if (quote !== null) {
        const taken = rest.startsWith('\\') ? 2 : rest.startsWith(quote) ? quote.length : 1;
        if (taken === quote.length && rest.startsWith(quote)) quote = null;
        part += rest.slice(0, taken);
        i += taken - 1;
        continue;
      }
      const sign = text.charAt(i);
      if (sign === '#') break;
      if (sign === '\\' && rest.trim() === '\\') {
        isContinued = true;
        break;
      }
      const opened = /^(?:"""|'''|"|')/.exec(rest)?.[0];
      if (opened !== undefined) {
        quote = opened;
        part += opened;
        i += opened.length - 1;
        continue;
      }
      if ('([{'.includes(sign)) depth++;
      if (')]}'.includes(sign)) depth = Math.max(0, depth - 1);
      if (depth === 0 && sign === ';') {
        parts.push(part);
        part = '';
        continue;
      }
      part += /\s/.test(sign) ? ' ' : sign;
      if (depth === 0 && sign === ':' && isHeader(part, rest.slice(1))) {
        parts.push(part);
        part = '';
      }
    }
    if (quote !== null && quote.length === 1 && !part.endsWith('\\')) return null;
    if (quote === null && depth === 0 && !isContinued) {
      const texts = [...parts, part].map(evened).filter((one) => one !== '');
      return { parts: texts, indent: indentOf(lines[at]?.text ?? ''), mark, next: line + 1 };
    }
    part += quote === null ? ' ' : '\n';
  }
  return null;
}

/** A colon ends a header unless it belongs to a lambda, an annotation or a slice. */
const isHeader = (before: string, after: string): boolean =>
  BLOCK.test(before.trim()) &&
  !after.startsWith('=') &&
  !/\blambda\b[^:]*:$/.test(before) &&
  /^(?:match|case)\b/.test(before.trim()) === /^(?:match|case)\s+[^=:]*:$/.test(before.trim());

const evened = (text: string): string => text.trim().replaceAll(/ {2,}/g, ' ');
