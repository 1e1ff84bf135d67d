// One machine of its own for a test: a state folder, free ports, and the real `evo` command in front of real servers.
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { toolPath } from '../../infra/tools.ts';
import { projectRoot, statePaths } from '../../workers/paths.ts';

const run = promisify(execFile);
const evo = join(projectRoot, 'cli', 'evo.ts');
export const TINY = join(projectRoot, 'configs', 'tiny.yaml');

interface Answer {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

interface WorldState {
  readonly pid: number;
  readonly ports: { readonly temporal: number; readonly ui: number; readonly s3: number | null };
  readonly children: Readonly<Record<string, { readonly pid: number | null }>>;
}

export class World {
  readonly stateDir: string;
  readonly variables: NodeJS.ProcessEnv;

  private constructor(stateDir: string, secretFile: string) {
    this.stateDir = stateDir;
    this.variables = {
      ...process.env,
      EVO_STATE_DIR: stateDir,
      EVO_GATE_SECRET_FILE: secretFile,
      EVO_TEMPORAL_PORT: '0',
      EVO_UI_PORT: '0',
      EVO_S3_PORT: '0',
      EVO_STICKY_TIMEOUT_MS: '1000',
      NO_COLOR: '1',
    };
  }

  static async open(secretFile: string): Promise<World> {
    return new World(await mkdtemp(join(tmpdir(), 'evo-e2e-')), secretFile);
  }

  get paths() {
    return statePaths(this.stateDir);
  }

  /** Runs `evo` and returns what it said; never throws for an exit code. */
  async evo(...args: string[]): Promise<Answer> {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', evo, ...args], {
      env: this.variables,
      cwd: projectRoot,
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk) => (out += String(chunk)));
    child.stderr.on('data', (chunk) => (err += String(chunk)));
    const code = await new Promise<number>((resolve) => {
      child.on('close', (status) => resolve(status ?? -1));
    });
    return { code, out, err };
  }

  /** Like `evo`, but a failure is the test's. */
  async must(...args: string[]): Promise<string> {
    const { code, out, err } = await this.evo(...args);
    if (code !== 0) throw new Error(`evo ${args.join(' ')} exited with ${code}\n${out}\n${err}`);
    return out;
  }

  async status(campaign: string): Promise<Status> {
    return JSON.parse(await this.must('status', campaign, '--json'));
  }

  async supervisor(): Promise<WorldState> {
    return JSON.parse(await readFile(this.paths.supervisorState, 'utf8'));
  }

  /** SIGKILL to the supervisor or to one of its children. */
  async kill(name: 'supervisor' | 'worker' | 'temporal' | 's3'): Promise<void> {
    const state = await this.supervisor();
    const pid = name === 'supervisor' ? state.pid : state.children[name]?.pid;
    if (pid == null) throw new Error(`${name} is not running`);
    process.kill(pid, 'SIGKILL');
  }

  /** Processes of this world whose command line holds a text. */
  async pidsOf(text: string): Promise<number[]> {
    const { stdout } = await run('ps', ['-eo', 'pid,args', '-ww']);
    return stdout
      .split('\n')
      .filter((line) => line.includes(text) && line.includes(this.stateDir))
      .map((line) => Number(line.trim().split(/\s+/)[0]));
  }

  /** The real temporal CLI against this world's server. */
  async temporal(...args: string[]): Promise<string> {
    const { ports } = await this.supervisor();
    const { stdout } = await run(toolPath('temporal'), [...args, '--address', `127.0.0.1:${ports.temporal}`]);
    return stdout;
  }

  async tctl(...args: string[]): Promise<string> {
    const { ports } = await this.supervisor();
    const { stdout } = await run(toolPath('tctl'), ['--address', `127.0.0.1:${ports.temporal}`, ...args]);
    return stdout;
  }

  /** The hashed part of every ledger entry of a file store, in order. */
  async ledger(campaign: string, store = this.paths.store): Promise<string[]> {
    const folder = join(store, 'ledger', campaign);
    const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json')).sort();
    return Promise.all(
      names.map(async (name) => JSON.stringify(JSON.parse(await readFile(join(folder, name), 'utf8')).entry)),
    );
  }

  async close(): Promise<void> {
    await this.evo('down');
    await rm(this.stateDir, { recursive: true, force: true });
  }
}

export interface Status {
  readonly phase: string;
  readonly step: string | null;
  readonly generation: number;
  readonly parked: { readonly step: string; readonly reason: string } | null;
}

/** Polls until `look` gives something; says what it waited for when it gives up. */
export async function until<Found>(
  what: string,
  look: () => Promise<Found | null | false | undefined>,
  timeoutMs = 60_000,
): Promise<Found> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`waited ${timeoutMs / 1000} s for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
