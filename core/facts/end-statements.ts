// Languages whose blocks close with `end`, line by line: Ruby, Crystal, Lua, Elixir, Julia. Cuts of a file may open or close
// more than they show.
import type { SourceLine, Statement } from './statements.ts';

export const CLOSES_WITH_END =
  /\.(?:rb|rake|gemspec|ru|cr|lua|exs?|jl)$|(?:^|\/)(?:Rakefile|Gemfile)$/;

const NAMED =
  /^(?:local\s+|private\s+|public\s+|protected\s+)*(?:defp?|defmodule|defmacro|class|module|function|macro|(?:mutable\s+)?struct)\s+(?:<<\s*)?(?<name>[\w$@.:]+[?!=]?)/;
const ASSIGNED = /^(?:local\s+)?(?<name>[\w.:]+)\s*=\s*(?:function\b|(?:lambda|proc|->).*\bdo\b)/;
const TEST_BLOCK =
  /^(?:RSpec\.)?(?:it|test|describe|context|specify|feature|scenario)\b[\s(]*['"](?<name>[^'"]{0,80})/;
/** A definition of one line after `=` needs no end; a modifier behind a statement opens nothing. */
const OPENS =
  /^(?:if|unless|while|until|case|begin|for|try|let|quote|cond|with|receive|repeat)\b|\bdo\s*(?:\|[^|]*\|)?$|\bthen$|=\s*(?:if|case|begin)\b|\bfunction\s*\(/;
const ENDLESS = /^def\s+[\w.?!]+(?:\s*\([^)]*\))?\s*=[^=>~]/;
const MIDDLE = /^(?:else|elsif|elseif|when|rescue|ensure|in|catch|finally)\b/;
const CLOSES = /(?:^|[\s;])(?:end|until\s.*)[)\],.;\w]*$/;

interface Block {
  readonly name: string | null;
  readonly header: string;
}

/** `path` tells the language. */
export function endStatements(lines: readonly SourceLine[], path: string): Statement[] {
  const isComment = path.endsWith('.lua') ? /^--/ : /^#(?!!)/;
  const blocks: Block[] = [];
  return lines.flatMap(({ text: line, mark }): Statement[] => {
    const text = line.trim();
    if (text === '' || isComment.test(text)) return [];
    const bare = text.replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '""');
    const closes = CLOSES.test(bare);
    if ((closes && /^(?:end|until)\b/.test(bare)) || MIDDLE.test(bare)) blocks.pop();
    const statement = {
      text,
      scope: blocks.flatMap(({ name }) => (name === null ? [] : [name])).join('.'),
      under: blocks.flatMap(({ name, header }) => (name === null ? [header] : [])).join(' > '),
      mark,
    };
    const name = nameIn(text);
    const opens = (name !== null && !ENDLESS.test(text)) || OPENS.test(bare) || MIDDLE.test(bare);
    // What opens and closes on one line is that line alone.
    if (opens && !closes) blocks.push({ name, header: text.replace(/\s+(?:then|do)$/, '') });
    return [statement];
  });
}

const nameIn = (text: string): string | null =>
  TEST_BLOCK.exec(text)?.groups?.['name']?.replaceAll(/\W+/g, '_') ??
  (NAMED.exec(text) ?? ASSIGNED.exec(text))?.groups?.['name'] ??
  null;
