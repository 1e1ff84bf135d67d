// Which processes work for which claim, found by the claim's folder in their command line or working directory;
// wrappers also by what they wrote into it, since a batch system starts them elsewhere.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { claimFolder, processSchema } from '../../infra/jobs/claim-folder.ts';
import { isAlive, processIdentity } from '../../infra/process/identity.ts';

export type Role = 'wrapper' | 'trainer' | 'other';

export interface ClaimProcess {
  readonly pid: number;
  readonly identity: string;
  readonly role: Role;
  readonly key: string;
  readonly claim: number;
  readonly folder: string;
}

const FOLDER = /\/([0-9a-f]{64})-[0-9a-f]{8}\/(\d+)(?=[/\0]|$)/;
/** A process that has just started may still become another program. */
const SETTLES_MS = 2_000;

interface Known {
  readonly identity: string;
  readonly seenAt: number;
  process: ClaimProcess | null;
}

/** Looks at all processes often: what one is, is read only while it is young. */
export class ClaimProcesses {
  readonly #machine: string;
  readonly #jobFolders: readonly string[];
  readonly #known = new Map<number, Known>();

  /** `jobFolders` hold the working folders of jobs, and are below `machine`. */
  constructor(machine: string, jobFolders: readonly string[]) {
    this.#machine = machine;
    this.#jobFolders = jobFolders;
  }

  look(): ClaimProcess[] {
    const pids = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
    const there = new Set(pids);
    for (const pid of this.#known.keys()) if (!there.has(pid)) this.#known.delete(pid);
    const found = pids.flatMap((pid) => this.#lookAt(pid) ?? []);
    const wrappers = this.#jobFolders.flatMap((folder) => this.#wrappersIn(folder));
    return [...new Map([...wrappers, ...found].map((one) => [one.pid, one])).values()];
  }

  #wrappersIn(jobFolder: string): ClaimProcess[] {
    const jobs = namesIn(jobFolder).map((name) => join(jobFolder, name));
    const folders = jobs.flatMap((job) => namesIn(job).map((name) => join(job, name)));
    return folders.flatMap((folder) => {
      const [, key, claim] = FOLDER.exec(folder) ?? [];
      if (key === undefined) return [];
      const text = look(() => readFileSync(claimFolder(folder).wrapper, 'utf8'));
      if (text === '') return [];
      const { pid, identity } = processSchema.parse(JSON.parse(text));
      if (!isAlive(pid, identity)) return [];
      return [{ pid, identity, role: 'wrapper', key, claim: Number(claim), folder }];
    });
  }

  #lookAt(pid: number): ClaimProcess | null {
    const before = this.#known.get(pid);
    const isSettled = before !== undefined && performance.now() - before.seenAt > SETTLES_MS;
    if (isSettled && before.process === null) return null;
    const identity = processIdentity(pid);
    if (identity === null) {
      this.#known.delete(pid);
      return null;
    }
    const isSame = before?.identity === identity;
    if (isSame && before.process !== null) return before.process;
    const seenAt = isSame ? before.seenAt : performance.now();
    const found = this.#identify(pid, identity);
    this.#known.set(pid, { identity, seenAt, process: found });
    return found;
  }

  #identify(pid: number, identity: string): ClaimProcess | null {
    const command = look(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
    const texts = [command, look(() => readlinkSync(`/proc/${pid}/cwd`))];
    for (const text of texts) {
      const start = text.indexOf(this.#machine);
      const rest = start < 0 ? '' : text.slice(start);
      const [matched, key, claim] = FOLDER.exec(rest) ?? [];
      if (matched === undefined || key === undefined) continue;
      const folder = rest.slice(0, rest.indexOf(matched) + matched.length);
      return { pid, identity, role: roleOf(command), key, claim: Number(claim), folder };
    }
    return null;
  }
}

function roleOf(command: string): Role {
  if (command.includes('wrapper/main.ts')) return 'wrapper';
  return command.includes('\0-m\0evotrainer\0') ? 'trainer' : 'other';
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function look(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
