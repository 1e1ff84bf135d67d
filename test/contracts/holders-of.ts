// Which processes of this machine know a text.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, relative } from 'node:path';
import { projectRoot } from '../../workers/paths.ts';

export interface Holder {
  /** The script if it is one of ours, else the program. */
  readonly program: string;
  readonly command: readonly string[];
  readonly variables: readonly string[];
}

/** Every process with what it has of the text: words of its command line, and names of its variables. */
export function holdersOf(text: string): Holder[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const words = wordsIn(`/proc/${pid}/cmdline`);
      const environment = wordsIn(`/proc/${pid}/environ`);
      // Between fork and exec a process has the words and variables of its parent; both are of one moment here.
      if (words.join() !== wordsIn(`/proc/${pid}/cmdline`).join()) return [];
      const command = words.filter((word) => word.includes(text));
      const variables = environment.filter((word) => word.includes(text));
      if (command.length + variables.length === 0) return [];
      const names = variables.map((word) => word.slice(0, word.indexOf('=')));
      return [{ program: programOf(words), command, variables: names.toSorted() }];
    });
}

function programOf(words: readonly string[]): string {
  const script = words.find((word) => word.startsWith(projectRoot) && /\.m?[jt]s$/.test(word));
  return script === undefined ? basename(words[0] ?? '') : relative(projectRoot, script);
}

/** Empty if the process ends meanwhile or is a zombie. */
function wordsIn(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\0');
  } catch {
    return [];
  }
}
