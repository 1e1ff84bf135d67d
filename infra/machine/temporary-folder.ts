// A folder that is gone when its work is done, also where Ctrl-C ends the process before that.
import { mkdtempSync, rmSync } from 'node:fs';

const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface TemporaryFolder {
  readonly path: string;
  remove(): void;
}

/** The folder's path starts with `start`. */
export function makeTemporaryFolder(start: string): TemporaryFolder {
  let path: string | null = null;
  const remove = (): void => {
    for (const signal of ENDING) process.removeListener(signal, end);
    if (path !== null) rmSync(path, { recursive: true, force: true });
  };
  const end = (signal: NodeJS.Signals): void => {
    remove();
    // Without our listener it ends the process, as it would have.
    process.kill(process.pid, signal);
  };
  for (const signal of ENDING) process.on(signal, end);
  path = mkdtempSync(start);
  return { path, remove };
}
