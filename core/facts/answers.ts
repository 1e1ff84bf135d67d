// The answers that a text marks as final, and the program that it consists of.

const MARKS: readonly RegExp[] = [
  /\\boxed\s*\{(?<answer>(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}/g,
  /<answer>(?<answer>[\s\S]*?)<\/answer>/gi,
  /^[ \t]*#{2,4}[ \t]*(?<answer>-?[\d$][^\n]{0,60})$/gm,
  /(?:^|[\n.!?*_])[ \t]*(?:\*\*|__)?(?:the |my |so the |thus,? the |therefore,? the )?(?:final |correct )?answer(?:\*\*|__)?(?: is)?(?:\*\*|__)?[ \t]*[:=]?[ \t]*(?<answer>[^\s.,;:][^\n]{0,80}?)(?:\*\*|__)?(?=[.;,]?\s*(?:\n|$)|[.;](?:\s|$))/gi,
];
const ANSWERS_MAX = 200;
const SHORT = 200;
const TEXT_MAX = 200_000;

/** In the order of the text. A short text without a mark is its own answer; a long one has none. */
export function markedAnswers(whole: string): string[] {
  const text = whole.slice(-TEXT_MAX);
  const found = new Map<number, string>();
  for (const mark of MARKS) {
    for (const match of text.matchAll(mark)) {
      const answer = (match.groups?.['answer'] ?? '').trim();
      const at = match.index + match[0].lastIndexOf(answer);
      const isInside = [...found].some(([from, one]) => from <= at && at < from + one.length);
      if (answer !== '' && !isInside) found.set(at, answer);
    }
  }
  const inOrder = [...found].toSorted(([a], [b]) => a - b).map(([, answer]) => answer);
  if (inOrder.length > 0) return inOrder.slice(0, ANSWERS_MAX);
  const bare = text.trim();
  return bare !== '' && bare.length <= SHORT && !bare.includes('\n') ? [bare] : [];
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
