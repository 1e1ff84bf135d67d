// What git tracks, read once for the tests of this folder.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const repoRoot = join(import.meta.dirname, '..', '..');

export interface TrackedFile {
  readonly path: string;
  readonly lines: readonly string[];
}

const generated = [/\bpackage-lock\.json$/, /\bgo\.sum$/, /\buv\.lock$/, /^trainer\/contract\//];
const binary = /\.(parquet|safetensors|png|jpg|gif|ico|woff2?|zst|gz|bin|pt)$/;

/** Tracked and new files of any kind. */
export const paths: readonly string[] = listed();

/** Those that a person wrote. */
export const files: readonly TrackedFile[] = paths.filter(isWritten).map((path) => ({
  path,
  lines: readFileSync(join(repoRoot, path), 'utf8').split('\n'),
}));

export function withEnding(...endings: readonly string[]): TrackedFile[] {
  return files.filter((file) => endings.some((ending) => file.path.endsWith(ending)));
}

/** `path:line` of every line that matches, with what matched. */
export function findLines(among: readonly TrackedFile[], pattern: RegExp): string[] {
  return among.flatMap(({ path, lines }) =>
    lines.flatMap((line, index) => {
      const found = pattern.exec(line);
      return found ? [`${path}:${index + 1} ${found[0].trim()}`] : [];
    }),
  );
}

function listed(): string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const out = execFileSync('git', args, { cwd: repoRoot, encoding: 'utf8', maxBuffer: 64 << 20 });
  return [...new Set(out.split('\0'))].filter(
    (path) => path !== '' && existsSync(join(repoRoot, path)),
  );
}

function isWritten(path: string): boolean {
  return !binary.test(path) && !generated.some((pattern) => pattern.test(path));
}
