// Languages with braces, line by line: names of functions and types by how they are usually written, blocks by their
// braces. Cuts of a file may open or close more than they show.
import type { SourceLine, Statement } from './statements.ts';

const NAMED =
  /\b(?:func(?:\s*\([^)]*\))?|fn|function\*?|def|class|impl(?:\s*<[^>]*>)?(?:\s+[\w:<>]+\s+for)?|struct|interface|trait|module|namespace|object)\s+(?<name>[\w$]+)/;
const ASSIGNED =
  /\b(?:const|let|var|exports\.|this\.)\s*(?<name>[\w$]+)\s*(?::[^=]+)?=\s*(?:async\s*)?(?:function\b|\([^)]*\)\s*(?::[^=]+)?=>|\w+\s*=>)/;
const METHOD =
  /^(?:[\w@<>[\],.&*:?]+\s+)*(?<name>[\w$~]+|operator\s*\S+)\s*\([^;]*\)\s*(?:const|noexcept|override|throws [\w., ]+)?\s*(?:->\s*[^{]+|:\s*[\w<>[\]| ,.]+)?\s*\{/;
const CONTROL =
  /^(?:\}\s*)?(?:if|else|for|while|switch|match|catch|try|do|select|guard|when|with|return|loop|unsafe|defer)\b/;
const TEST_BLOCK =
  /^(?:it|test|describe|context|suite)(?:\.\w+)?\s*\(\s*['"`](?<name>[^'"`]{0,80})/;
/** In these languages # begins no comment. */
const HASH_IS_CODE =
  /\.(?:rs|c|cc|cpp|cxx|h|hpp|cs|js|jsx|ts|tsx|mjs|cjs|go|java|kt|scala|swift|php|css|md)$/;

interface Block {
  readonly name: string | null;
  readonly header: string;
}

/** `path` tells the language; lines without braces stand at the top. */
export function braceStatements(lines: readonly SourceLine[], path: string): Statement[] {
  const isComment = HASH_IS_CODE.test(path)
    ? /^(?:\/\/(?!go:build|\s*\+build)|\/\*|\*(?:\s|\/|$))/
    : /^(?:\/\/|\/\*|\*(?:\s|\/|$)|#(?!!))/;
  const blocks: Block[] = [];
  return lines.flatMap(({ text: line, mark }): Statement[] => {
    const text = line.trim();
    if (text === '' || isComment.test(text)) return [];
    const bare = text.replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/g, '""');
    const closesFirst = /^[})\]]*\}/.test(bare);
    if (closesFirst) blocks.pop();
    const statement = {
      text,
      scope: blocks.flatMap(({ name }) => (name === null ? [] : [name])).join('.'),
      under: blocks.flatMap(({ name, header }) => (name === null ? [header] : [])).join(' > '),
      mark,
    };
    let left = closesFirst ? 1 : 0;
    for (const sign of bare) {
      if (sign === '{') blocks.push({ name: nameIn(text), header: headerOf(text) });
      if (sign === '}' && left-- <= 0) blocks.pop();
    }
    return [statement];
  });
}

function nameIn(text: string): string | null {
  const block = TEST_BLOCK.exec(text)?.groups?.['name'];
  if (block !== undefined) return block.replaceAll(/\W+/g, '_');
  const named = (NAMED.exec(text) ?? ASSIGNED.exec(text))?.groups?.['name'];
  if (named !== undefined) return named;
  return CONTROL.test(text) ? null : (METHOD.exec(text)?.groups?.['name'] ?? null);
}

const headerOf = (text: string): string => text.replace(/^\}\s*/, '').replace(/\s*\{.*$/, '');
