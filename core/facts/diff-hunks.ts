// Unified diffs, and the patch text that coding agents hand to an apply_patch tool, as hunks of marked lines.
import type { SourceLine } from './statements.ts';

export interface Hunk {
  readonly path: string;
  /** What git prints behind the second @@: the definition that the hunk lies in. */
  readonly heading: string;
  readonly lines: readonly SourceLine[];
}

const HUNK = /^@@(?: -\d+(?:,\d+)? \+\d+(?:,\d+)? @@)?(?<heading>.*)$/;
const FILE = /^\*\*\* (?:Update|Add|Delete) File: (?<path>.+)$/;

export const isDiff = (text: string): boolean =>
  /^(?:diff --git |--- \S|\*\*\* Begin Patch)/m.test(text) && /^(?:@@|\*\*\* )/m.test(text);

/** A deleted file keeps its path. What is no diff gives nothing. */
export function hunksOf(diff: string): Hunk[] {
  const hunks: { path: string; heading: string; lines: SourceLine[] }[] = [];
  let oldPath = '';
  let path = '';
  let open: { path: string; heading: string; lines: SourceLine[] } | null = null;
  const begin = (heading: string): void => {
    open = { path, heading, lines: [] };
    hunks.push(open);
  };
  const lines = diff.split('\n');
  for (const [at, line] of lines.entries()) {
    // A removed line of two dashes looks like a file header; only the pair of lines is one.
    if (line.startsWith('--- ') && (lines[at + 1] ?? '').startsWith('+++ ')) {
      oldPath = bare(line.slice(4));
      open = null;
      continue;
    }
    if (open === null && line.startsWith('+++ ')) {
      const found = bare(line.slice(4));
      path = found === '/dev/null' ? oldPath : found;
      continue;
    }
    if (line.startsWith('diff --git ')) {
      open = null;
      continue;
    }
    const named = FILE.exec(line)?.groups?.['path'];
    if (named !== undefined) {
      path = bare(named);
      begin('');
      continue;
    }
    const heading = HUNK.exec(line)?.groups?.['heading'];
    if (heading !== undefined && path !== '') {
      begin(heading.trim());
      continue;
    }
    if (open !== null) pushLine(open, line);
  }
  return hunks.filter((hunk) => hunk.lines.length > 0);
}

function pushLine(hunk: { lines: SourceLine[] }, line: string): void {
  const sign = line.charAt(0);
  if (sign === '+') hunk.lines.push({ text: line.slice(1), mark: 'added' });
  else if (sign === '-') hunk.lines.push({ text: line.slice(1), mark: 'removed' });
  else if (sign === ' ' || line === '') hunk.lines.push({ text: line.slice(1), mark: 'kept' });
}

const bare = (path: string): string =>
  (path.split('\t')[0] ?? '')
    .trim()
    .replaceAll(/^"|"$/g, '')
    .replace(/^[ab]\//, '')
    .replace(/^\.\//, '');
