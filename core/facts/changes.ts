// What a final diff changes, file by file: which names are called and defined, which literals appear, which assertions go.
import type { Change } from '../schemas/trajectory.ts';
import { type Hunk, hunksOf } from './diff-hunks.ts';
import { kindOfFile } from './file-kind.ts';
import { type Findings, findingsInLines } from './line-findings.ts';
import { findingsInPython } from './python-findings.ts';

const FILES_MAX = 1000;
const NAMES_MAX = 500;
const DIFF_MAX = 1_000_000;
const PATH_MAX = 500;
const LINE_MAX = 500;

/** In the order in which the diff names them. What is no diff changes nothing; never throws. */
export function changesOf(diff: string): Change[] {
  const text = diff.slice(0, DIFF_MAX);
  const files = new Map<string, Hunk[]>();
  for (const path of pathsOfHeaders(text)) files.set(path, []);
  for (const hunk of hunksOf(text)) {
    const known = files.get(hunk.path);
    if (known === undefined) files.set(hunk.path, [hunk]);
    else known.push(hunk);
  }
  return [...files].slice(0, FILES_MAX).map(([path, hunks]) => changeOf(path, hunks));
}

/** A program that was handed in as text is one new file. */
export const changeOfProgram = (path: string, text: string): Change =>
  changeOf(path, [
    {
      path,
      heading: '',
      lines: text.split('\n').map((line) => ({ text: line, mark: 'added' as const })),
    },
  ]);

/** Files that are moved, removed or given another mode have no hunk. */
const pathsOfHeaders = (text: string): string[] =>
  [...text.matchAll(/^diff --git a\/(?<from>\S+) b\/(?<to>\S+)$/gm)].flatMap(({ groups = {} }) => {
    const { from = '', to = '' } = groups;
    return from === to ? [to] : [from, to];
  });

function changeOf(told: string, hunks: readonly Hunk[]): Change {
  const path = told.slice(0, PATH_MAX);
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const added = lines.filter(({ mark }) => mark === 'added');
  const removed = lines.filter(({ mark }) => mark === 'removed');
  const isPython = /\.(?:pyi?|pyx|pth)$/.test(path);
  const read = isPython ? findingsInPython : findingsInLines;
  const found = hunks.map((hunk): Findings => read(hunk));
  const all = (key: keyof Findings): string[] =>
    [...new Set(found.flatMap((one) => one[key]))].slice(0, NAMES_MAX);
  const written = [...added, ...removed].map((line) => line.text).join('\n');
  return {
    path,
    kind: kindOfFile(path, written),
    added: added.length,
    removed: removed.length,
    calls: all('calls'),
    defines: all('defines'),
    literals: all('literals'),
    asserts_removed: assertionsLost(removed, added),
  };
}

const ASSERTION =
  /^(?:assert\b|assert!|assert_\w+[!(]|(?:self|cls|this|t|tc|suite)\.(?:assert|fail|expect|should|Error|Fatal|Equal|require)\w*\s*\(|(?:with\s+)?(?:pytest|self)\.(?:raises|warns|assertRaises)\w*|(?:await\s+)?expect\w*\s*\(|Assert\w*\.|assert\w*\s*\(|require\.\w+\(|EXPECT_|ASSERT_|(?:np|numpy|torch|tm)\.testing\.|.*\.should\b)/;

type Line = Hunk['lines'][number];

/** An assertion that was rewritten is lost; one that only moved is not. */
function assertionsLost(removed: readonly Line[], added: readonly Line[]): number {
  const kept = new Map<string, number>();
  for (const { text } of added) kept.set(text.trim(), (kept.get(text.trim()) ?? 0) + 1);
  let lost = 0;
  for (const { text } of removed) {
    const line = text.trim();
    if (!ASSERTION.test(line.slice(0, LINE_MAX))) continue;
    const again = kept.get(line) ?? 0;
    if (again > 0) kept.set(line, again - 1);
    else lost++;
  }
  return lost;
}
