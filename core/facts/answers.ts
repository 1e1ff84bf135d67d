// The answers that a text marks as final, and the program that it consists of.

const MARKS: readonly RegExp[] = [
  /<answer>(?<answer>[\s\S]{0,2000}?)<\/answer>/gi,
  /^[ \t]{0,20}#{2,4}[ \t]{0,20}(?<answer>-?[\d$][^\n]{0,60})$/gm,
  /(?:^|[\n.!?*_])[ \t]{0,20}(?:\*\*|__)?(?:the |my |so the |thus,? the |therefore,? the )?(?:final |correct )?answer(?:\*\*|__)?(?: is(?:[ \t]?:)?|[ \t]{0,20}[:=])(?:\*\*|__)?[ \t]{0,20}(?<answer>[^\s.,;:*][^\n]{0,80}?)(?:\*\*|__)?(?=[.;,]?\s{0,20}(?:\n|$)|[.;](?:\s|$))/gi,
];
const BOX = /\\boxed\s{0,20}\{/g;
const BOX_MAX = 500;
const ANSWERS_MAX = 200;
const SHORT = 200;
const WORDS_MAX = 6;
const TEXT_MAX = 200_000;

/** In the order of the text. A short text without a mark is its own answer; a long one has none. */
export function markedAnswers(whole: string): string[] {
  const text = whole.slice(-TEXT_MAX);
  const found = new Map<number, string>(boxed(text));
  for (const mark of MARKS) {
    for (const match of text.matchAll(mark)) {
      const answer = (match.groups?.['answer'] ?? '').trim();
      const at = match.index + match[0].lastIndexOf(answer);
      // A box after `The answer is` is one answer, and a sentence is none.
      const isOwn =
        !/\\boxed/.test(answer) && !found.has(at) && answer.split(/\s+/).length <= WORDS_MAX;
      if (answer !== '' && isOwn) found.set(at, answer);
      if (found.size >= ANSWERS_MAX) break;
    }
  }
  const inOrder = [...found].toSorted(([a], [b]) => a - b).map(([, answer]) => answer);
  if (inOrder.length > 0) return inOrder.slice(0, ANSWERS_MAX);
  const bare = text.trim();
  return bare !== '' && bare.length <= SHORT && !bare.includes('\n') ? [bare] : [];
}

/** Braces within a box are part of it. */
function boxed(text: string): [number, string][] {
  return [...text.matchAll(BOX)].flatMap((match): [number, string][] => {
    const start = match.index + match[0].length;
    let depth = 1;
    for (let at = start; at < Math.min(text.length, start + BOX_MAX); at++) {
      if (text[at] === '{') depth++;
      if (text[at] === '}') depth--;
      if (depth === 0) return [[start, text.slice(start, at).trim()]];
    }
    return [];
  });
}

export interface Program {
  readonly path: string;
  readonly text: string;
}

const FENCE = /^[ \t]*```[ \t]*(?<language>[\w+#-]*)[^\n]*\n(?<code>[\s\S]*?)^[ \t]*```/gm;
const ENDINGS: Readonly<Record<string, string>> = {
  javascript: 'js',
  js: 'js',
  typescript: 'ts',
  java: 'java',
  c: 'c',
  cpp: 'cpp',
  'c++': 'cpp',
  go: 'go',
  rust: 'rs',
  ruby: 'rb',
};
const CODE =
  /^(?:\s*(?:async def|def|class)\s+\w+.*:|(?:from\s+[\w.]+\s+)?import\s+\w|\s*(?:function|const|let|var)\s+\w+|#include\b|\s*return\b|\s*print\()/m;

/** The last block of code in an answer, or all of it where it is code; null where it is none. */
export function programIn(answer: string): Program | null {
  const blocks = [...answer.slice(0, TEXT_MAX).matchAll(FENCE)].filter(
    ({ groups }) =>
      !/^(?:bash|sh|shell|console|text|diff|output|json|ya?ml)$/i.test(groups?.['language'] ?? ''),
  );
  const last = blocks.at(-1)?.groups;
  if (last !== undefined) {
    const ending = ENDINGS[(last['language'] ?? '').toLowerCase()] ?? 'py';
    return { path: `answer.${ending}`, text: last['code'] ?? '' };
  }
  if (!CODE.test(answer)) return null;
  const isScript = /^\s*(?:function|const|let|var)\s+\w+/m.test(answer);
  return { path: isScript ? 'answer.js' : 'answer.py', text: answer.slice(0, TEXT_MAX) };
}
