// JSON that a model reads. Text of a policy, a model or a person stands in it as JSON strings, and no character of it
// can be unseen, move other text, or end the string that it stands in.

/** Control, format and private characters, line separators, and whatever shows nothing. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Default_Ignorable_Code_Point}]/gu;

/** A value as JSON in one line; what cannot be seen is escaped. */
export const quotedJson = (value: unknown): string =>
  JSON.stringify(value).replace(UNSEEN, escaped);

const escaped = (character: string): string =>
  Array.from({ length: character.length }, (_, index) => {
    const code = character.charCodeAt(index).toString(16).padStart(4, '0');
    return `\\u${code}`;
  }).join('');
