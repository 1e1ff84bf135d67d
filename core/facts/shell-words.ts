// What a word of a shell command comes to, as far as its text tells.
import type { Word, WordPart } from 'unbash';

type Variables = ReadonlyMap<string, string>;

/** Expansions that are not known keep their text. */
export function wordText(word: Word, variables: Variables): string {
  if (word.parts === undefined) return word.value;
  return word.parts.map((part) => partText(part, variables)).join('');
}

/** Whether nothing in it is computed. */
export const isLiteral = (word: Word): boolean =>
  word.parts === undefined ||
  word.parts.every(({ type }) => type === 'Literal' || type === 'SingleQuoted');

function partText(part: WordPart, variables: Variables): string {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return part.value;
    case 'DoubleQuoted':
    case 'LocaleString':
      return part.parts.map((inner) => partText(inner, variables)).join('');
    case 'SimpleExpansion':
      return variables.get(part.text.slice(1)) ?? part.text;
    case 'ParameterExpansion': {
      const known = part.prefix === undefined ? variables.get(part.parameter) : undefined;
      if (known !== undefined && part.operation === undefined) return known;
      if (part.operation?.type !== 'Default') return part.text;
      return known ?? wordText(part.operation.operand, variables);
    }
    case 'CommandExpansion':
      return named(part.text) ?? part.text;
    case 'Glob':
    case 'ArithmeticExpansion':
    case 'ProcessSubstitution':
    case 'ExtendedGlob':
    case 'BraceExpansion':
      return part.text;
  }
}

/** `$(which git)` and `$(echo git)` are a roundabout `git`. */
const named = (text: string): string | undefined =>
  /^(?:\$\(|`)\s*(?:which|command\s+-v|type\s+-p|echo|printf)\s+["']?([\w./-]+)["']?\s*(?:\)|`)$/.exec(
    text,
  )?.[1];
