// Finds names that two files export: one name has one meaning in this tree.
import type { TrackedFile } from './tracked-files.ts';

const EXPORT =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:type|interface|class|const|let|function\*?|enum) (\w+)/gm;

/** Each sub-command exports its own. */
const SHARED = new Set(['command']);

/** `Name: file, other file` for each name that is declared and exported more than once. */
export function namesExportedTwice(files: readonly TrackedFile[]): string[] {
  const places = new Map<string, string[]>();
  for (const { path, lines } of files) {
    for (const [, name = ''] of lines.join('\n').matchAll(EXPORT)) {
      const known = places.get(name) ?? [];
      // Overloads are one export.
      if (!known.includes(path)) places.set(name, [...known, path]);
    }
  }
  return [...places]
    .filter(([name, paths]) => paths.length > 1 && !SHARED.has(name))
    .map(([name, paths]) => `${name}: ${paths.join(', ')}`);
}
