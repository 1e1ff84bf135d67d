// What an agent wrote, statement by statement: of the final diff, else of its edits, with the turn that wrote it.
import type { Trajectory } from '../schemas/trajectory.ts';
import { braceStatements } from './brace-statements.ts';
import { type Hunk, hunksOf, isDiff } from './diff-hunks.ts';
import { CLOSES_WITH_END, endStatements } from './end-statements.ts';
import { kindOfFile } from './file-kind.ts';
import { HAS_SECTIONS, settingsStatements } from './settings-statements.ts';
import { type SourceLine, statementsOf } from './statements.ts';
import { type Writing, writingsOf, writingsOfShell } from './writings.ts';

type Written = NonNullable<Trajectory['statements']>[number];

export interface AgentLog {
  readonly messages: readonly {
    readonly role: string;
    readonly text: string;
    readonly calls: readonly { readonly name: string; readonly arguments: string }[];
  }[];
  readonly diff: string;
  readonly answer: string;
}

interface Piece extends Hunk {
  readonly turn: number | null;
  readonly isScript: boolean;
  readonly isWhole: boolean;
}

const STATEMENTS_MAX = 5000;
const CHARACTERS_MAX = 2000;

/** In the order of the turns, the final diff last. */
export function writtenStatements({ messages, diff, answer }: AgentLog): Written[] {
  const pieces = messages.flatMap((message, turn) =>
    message.role === 'assistant' ? writingsOfMessage(message).flatMap(piecesOf(turn)) : [],
  );
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  const lastText = messages[last]?.text ?? '';
  const end = hunksOf(isDiff(diff) ? diff : isDiff(answer) ? answer : '');
  const isStored = end.length > 0 || pieces.some(({ isScript }) => !isScript);
  const program = programIn(answer) ?? (isStored ? null : programIn(lastText));
  const written = new Map<string, number>();
  for (const { turn, lines } of pieces) {
    for (const { text } of lines) if (turn !== null) written.set(text.trim(), turn);
  }
  const finals = end.map((hunk): Piece => ({
    ...hunk,
    turn: null,
    isScript: false,
    isWhole: false,
  }));
  const steps = pieces.flatMap((piece, at) => {
    const isFinal =
      finals.length === 0 && !piece.isScript && !isUndone(piece, at, pieces, messages);
    return statementsOfPiece(piece, isFinal, () => piece.turn);
  });
  const lastTurn = last === -1 ? null : last;
  const answered = program === null ? [] : statementsOfPiece(program, true, () => lastTurn);
  const ending = finals.flatMap((piece) =>
    statementsOfPiece(piece, true, (text) => turnOf(text, written)),
  );
  return [...ending, ...answered, ...steps].slice(0, STATEMENTS_MAX);
}

function writingsOfMessage({ text, calls }: AgentLog['messages'][number]): Writing[] {
  if (calls.length > 0) return calls.flatMap((call) => writingsOf(call.name, call.arguments));
  // Agents without tools of their own put commands in fenced blocks.
  return fencesIn(text).flatMap(({ language, code }) =>
    /^(?:bash|sh|shell|console|zsh)$/.test(language) ? writingsOfShell(code) : [],
  );
}

const piecesOf =
  (turn: number) =>
  ({ path, how, old, text }: Writing): Piece[] => {
    if (how === 'patch') {
      return hunksOf(text).map((hunk) => ({ ...hunk, turn, isScript: false, isWhole: false }));
    }
    // Lines that an edit repeats are its context, so that it counts as the diff of it would.
    const before = linesOf(old);
    const after = linesOf(text);
    const lines = [
      ...before.filter((line) => !after.includes(line)).map((one) => marked(one, 'removed')),
      ...after.map((line) => marked(line, before.includes(line) ? 'kept' : 'added')),
    ];
    const isScript = how === 'script';
    return [{ path: bare(path), heading: '', lines, turn, isScript, isWhole: how === 'file' }];
  };

const linesOf = (text: string): string[] => (text === '' ? [] : text.split('\n'));
const marked = (text: string, mark: SourceLine['mark']): SourceLine => ({ text, mark });
const bare = (path: string): string => path.replace(/^\.\//, '');

/** Written over, removed or taken back later. */
function isUndone(
  { path, turn }: Piece,
  at: number,
  pieces: readonly Piece[],
  messages: AgentLog['messages'],
): boolean {
  if (pieces.slice(at + 1).some((later) => later.isWhole && later.path === path)) return true;
  const name = path.split('/').at(-1) ?? path;
  const taken = /\b(?:rm|unlink|git\s+(?:checkout|restore|clean|stash|reset))\b[^\n;&|]*/g;
  return messages.some(
    ({ calls }, place) =>
      place > (turn ?? place) &&
      calls.some((call) =>
        [...call.arguments.matchAll(taken)].some(
          ([text]) =>
            text.includes(name) || /\breset\s+--hard|stash\s*$|checkout\s+\.\s*$/.test(text),
        ),
      ),
  );
}

const turnOf = (text: string, written: ReadonlyMap<string, number>): number | null => {
  const exact = written.get(text);
  if (exact !== undefined) return exact;
  for (const [line, turn] of written) if (line.length > 3 && text.startsWith(line)) return turn;
  return null;
};

function statementsOfPiece(
  { path, lines, heading, isScript }: Piece,
  final: boolean,
  turnAt: (text: string) => number | null,
): Written[] {
  const isPython = isScript || /\.(?:pyi?|pth)$/.test(path);
  const of = (some: readonly SourceLine[]) =>
    isPython
      ? statementsOf(some, heading)
      : CLOSES_WITH_END.test(path)
        ? endStatements(some, path)
        : HAS_SECTIONS.test(path)
          ? settingsStatements(some, heading)
          : braceStatements(some, path);
  // Each side of a diff is a text of its own: brackets need not balance across both.
  const added = of(lines.filter(({ mark }) => mark !== 'removed'));
  const removed = of(lines.filter(({ mark }) => mark !== 'added'));
  const written = lines.flatMap((line) => (line.mark === 'kept' ? [] : [line.text])).join('\n');
  const kind = isScript ? 'script' : kindOfFile(path, written);
  return [...added, ...removed].flatMap(({ text, scope, under, mark }): Written[] =>
    mark === 'kept'
      ? []
      : [{ turn: turnAt(text), path, kind, mark, scope, under, text: cut(text), final }],
  );
}

const cut = (text: string): string => text.slice(0, CHARACTERS_MAX);

interface Fence {
  readonly language: string;
  readonly code: string;
}

const fencesIn = (text: string): Fence[] =>
  [...text.matchAll(/^[ \t]*```[ \t]*(?<language>\w*)[^\n]*\n(?<code>[\s\S]*?)^[ \t]*```/gm)].map(
    ({ groups = {} }) => ({
      language: (groups['language'] ?? '').toLowerCase(),
      code: groups['code'] ?? '',
    }),
  );

const CODE =
  /^(?:\s*(?:def|class|async def)\s+\w+.*:|(?:from\s+[\w.]+\s+)?import\s+\w|\s*return\b|\s*(?:function|const|let|var)\s+\w+|#include\b|\w+\s*=\s*(?:lambda\b|dict\(|[{[]|\w+\.get\b))/m;

/** The code that an answer consists of, or holds in fenced blocks. */
function programIn(answer: string): Piece | null {
  const fences = fencesIn(answer).filter(
    ({ language }) => !/^(?:bash|sh|shell|console|zsh|text|diff|output|json|ya?ml)$/.test(language),
  );
  const code = fences.length > 0 ? fences.map((fence) => fence.code).join('\n') : answer;
  if (isDiff(answer) || !CODE.test(code)) return null;
  const isScript = /^\s*(?:function|const|let|var)\s+\w+|#include\b/m.test(code);
  const path = isScript ? 'answer.js' : 'answer.py';
  const lines = linesOf(code).map((line) => marked(line, 'added'));
  return { path, heading: '', lines, turn: null, isScript: false, isWhole: true };
}
