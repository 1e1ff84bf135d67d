// Finds the processes of a state folder: by command line, working directory or environment.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface Process {
  readonly pid: number;
  readonly command: string;
}

/** Every process that mentions the folder, except this one and its children that only test. */
export function processesOf(folder: string): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid)
    .flatMap((pid) => {
      const command = look(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
      const place = look(() => readlinkSync(`/proc/${pid}/cwd`));
      const variables = look(() => readFileSync(`/proc/${pid}/environ`, 'utf8'));
      const mentions = [command, place, variables].some((text) => text.includes(folder));
      return mentions ? [{ pid, command: command.replaceAll('\0', ' ').trim() }] : [];
    });
}

/** Empty if the process ends meanwhile or is a zombie. */
function look(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
