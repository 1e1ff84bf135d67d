// What a tool's reply tells of how its call went.

export interface Reply {
  readonly ok: boolean;
  readonly exitCode: number | null;
}

/** Only the ends of a reply are the tool's own words; what lies between is the output of a program. */
const HEAD = 300;
const TAIL = 400;
const EXIT_CODE =
  /(?:exit(?:ed)?[ _-]*(?:with[ _-]*)?(?:(?:exit|return|status)?[ _-]*(?:code|status)?)|return[ _-]?code|exit_?status|exitCode)["'>\s]*(?:[:=]|is|was|of)?["'\s]*(?<code>-?\d{1,3})\b/gi;
const ERROR_START =
  /^[\s"'[({<*]*(?:error|err|fatal|failed|failure|exception|invalid|traceback|unknown (?:tool|command)|usage:|tool error|execution error|permission denied|(?:[\w./-]*\/)?(?:ba|z)?sh: )/i;
const ERROR_ANYWHERE =
  /command not found|no such file or directory|no replacement was performed|did not appear verbatim|permission denied|is not recognized as|timed out|does not exist\b|"is_?error"\s*:\s*true|<error>|Traceback \(most recent call last\)/i;

const NO_REPLY: Reply = { ok: true, exitCode: null };

/** Null is a call that nobody answered: the last one often is. */
export function readReply(text: string | null): Reply {
  if (text === null) return NO_REPLY;
  const head = text.slice(0, HEAD);
  const tail = text.slice(-TAIL);
  const told = [...`${head}\n`.matchAll(EXIT_CODE), ...tail.matchAll(EXIT_CODE)];
  const code = told.at(-1)?.groups?.['code'];
  const exitCode = code === undefined ? null : Number(code);
  if (exitCode !== null) return { ok: exitCode === 0, exitCode };
  const isShort = text.length <= HEAD + TAIL;
  const isError = ERROR_START.test(head) || ERROR_ANYWHERE.test(isShort ? text : head);
  return { ok: !isError, exitCode: null };
}
