// What a word of a shell command comes to, as far as its text tells.
import type { Word, WordPart } from 'unbash';
import { TEXT_MAX, VALUE_MAX } from './call.ts';

type Variables = ReadonlyMap<string, string>;

/** Expansions that are not known keep their text. */
export function wordText(word: Word, variables: Variables): string {
  if (word.parts === undefined) return word.value;
  return joined(word.parts, variables);
}

/** A script in a word may be long; what variables add to it may not. */
function joined(parts: readonly WordPart[], variables: Variables): string {
  let text = '';
  for (const part of parts) {
    text += partText(part, variables);
    if (text.length > TEXT_MAX) return text.slice(0, TEXT_MAX);
  }
  return text;
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
      return joined(part.parts, variables);
    case 'SimpleExpansion':
      return variables.get(part.text.slice(1))?.slice(0, VALUE_MAX) ?? part.text;
    case 'ParameterExpansion': {
      const known = part.prefix === undefined ? variables.get(part.parameter) : undefined;
      if (known !== undefined && part.operation === undefined) return known.slice(0, VALUE_MAX);
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
