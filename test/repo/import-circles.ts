// Finds circles of imports, type imports included: lint sees those of values alone.
import { dirname, join } from 'node:path/posix';
import type { TrackedFile } from './tracked-files.ts';

const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*'(\.{1,2}\/[^']+)'/g;

/** Each circle as `a -> b -> a`, from the file that comes first in the alphabet. */
export function importCircles(files: readonly TrackedFile[]): string[] {
  const imports = new Map(files.map((file) => [file.path, importsOf(file)]));
  const done = new Set<string>();
  const circles = new Set<string>();
  const visit = (path: string, above: readonly string[]): void => {
    const start = above.indexOf(path);
    if (start >= 0) circles.add(circleOf(above.slice(start)));
    if (start >= 0 || done.has(path)) return;
    for (const next of imports.get(path) ?? []) visit(next, [...above, path]);
    done.add(path);
  };
  for (const path of [...imports.keys()].toSorted()) visit(path, []);
  return [...circles];
}

function importsOf({ path, lines }: TrackedFile): string[] {
  const found = lines.join('\n').matchAll(IMPORT);
  return [...found].map(([, target = '']) => join(dirname(path), target));
}

function circleOf(paths: readonly string[]): string {
  const first = paths.indexOf(paths.toSorted()[0] ?? '');
  const [head = '', ...rest] = [...paths.slice(first), ...paths.slice(0, first)];
  return [head, ...rest, head].join(' -> ');
}
