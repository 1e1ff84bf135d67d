// A real Slurm cluster for a while: munged, slurmctld and a slurmd a node, each host in a network namespace.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { waitUntil } from '../../infra/jobs/wait-until.ts';
import { Daemon } from './daemon.ts';
import { startForwarding } from './forward.ts';
import type { Forwarding } from './forward.ts';
import { networkMissing, openNetwork } from './network.ts';
import type { HostNetwork } from './network.ts';
import { writeSlurmConfig } from './slurm-config.ts';

const CONTROLLER = 'ctl';
const START_MS_MAX = 60_000;
const PROGRAMS = ['slurmctld', 'slurmd', 'munged', 'sbatch', 'squeue', 'ip', 'nsenter', 'setpriv'];
const run = promisify(execFile);

export interface ClusterOptions {
  readonly nodes?: number;
  /** Of the last node. They are counted, and compute nothing. */
  readonly gpus?: number;
}

/** For the title of what is not run; empty where it is. */
export function slurmMissing(): string {
  const missing = PROGRAMS.filter((program) => findProgram(program) === undefined);
  const packages = 'apt-get install slurmctld slurmd slurm-client munge iproute2';
  const why =
    missing.length > 0 ? `${missing.join(', ')} is missing, ${packages}` : networkMissing();
  return why === '' ? '' : ` (not run: ${why})`;
}

export class SlurmCluster {
  readonly nodes: readonly string[];
  /** What its programs need: for the worker, and for whoever asks by hand. */
  readonly variables: Readonly<Record<'SLURM_CONF', string>>;
  readonly #folder: string;
  readonly #network: HostNetwork;
  readonly #daemons: ReadonlyMap<string, Daemon>;
  readonly #forwardings: Forwarding[] = [];

  private constructor(folder: string, nodes: readonly string[], { gpus = 0 }: ClusterOptions) {
    this.#folder = folder;
    this.nodes = nodes;
    this.#network = openNetwork([CONTROLLER, ...nodes]);
    const config = writeSlurmConfig({
      folder,
      controller: this.#network.addressOf(CONTROLLER),
      nodes: nodes.map((name) => ({ name, address: this.#network.addressOf(name) })),
      gpus,
    });
    this.variables = { SLURM_CONF: config };
    this.#daemons = this.#plan(config);
  }

  /** `folder` is made, and removed when the cluster is closed. */
  static async start(folder: string, options: ClusterOptions = {}): Promise<SlurmCluster> {
    const nodes = Array.from({ length: options.nodes ?? 3 }, (_, index) => `n${index + 1}`);
    const spools = nodes.map((name) => `spool-${name}`);
    for (const name of ['munge', 'state', 'log', 'keys', ...spools]) {
      await mkdir(join(folder, name), { recursive: true });
    }
    await writeFile(join(folder, 'keys/munge'), randomBytes(128), { mode: 0o600 });
    const cluster = new SlurmCluster(folder, nodes, options);
    try {
      cluster.#daemon('munged').start();
      await waitUntil(() => existsSync(join(folder, 'munge/socket')), START_MS_MAX);
      for (const name of ['slurmctld', ...nodes]) cluster.#daemon(name).start();
      if (!(await waitUntil(() => cluster.isReady(), START_MS_MAX))) {
        const said = await readFile(join(folder, 'log/slurmctld'), 'utf8').catch(() => '');
        throw new Error(`slurm did not start; slurmctld said last: ${said.slice(-2_000)}`);
      }
      return cluster;
    } catch (error) {
      await cluster.close();
      throw error;
    }
  }

  /** This machine, as the nodes reach it. */
  get gateway(): string {
    return this.#network.gateway;
  }

  /** What a program of Slurm's printed, asked as root of this machine. */
  async ask(program: string, ...args: string[]): Promise<string> {
    const env = { ...process.env, ...this.variables };
    return (await run(program, args, { env, timeout: 60_000 })).stdout.trim();
  }

  /** Whether all nodes are up and no job is on them. */
  async isReady(): Promise<boolean> {
    const said = await this.ask('sinfo', '-h', '-N', '-p', 'main', '-o', '%T').catch(() => '');
    const states = said.split('\n');
    return states.length === this.nodes.length && states.every((state) => state === 'idle');
  }

  /** Pulls the cable of a node: neither slurmctld nor a store on this machine is reached from there. */
  cut(node: string): void {
    this.#network.cut(node);
  }

  heal(node: string): void {
    this.#network.heal(node);
  }

  /** `name` is slurmctld or a node: its daemon dies as by SIGKILL, jobs go on. */
  kill(name: string): Promise<void> {
    return this.#daemon(name).kill();
  }

  start(name: string): void {
    this.#daemon(name).start();
  }

  /** A port of this machine's loopback is there at the same address on every node, e.g. of the S3 server. */
  async forward(port: number): Promise<void> {
    const log = join(this.#folder, 'log/forward');
    this.#forwardings.push(await startForwarding(this.#network, this.nodes, port, log));
  }

  /** Ends all there is of it, jobs included. */
  async close(): Promise<void> {
    for (const forwarding of this.#forwardings) await forwarding.close();
    const order = [...this.#daemons.values()].toReversed();
    for (const daemon of order) await daemon.kill();
    this.#network.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  #daemon(name: string): Daemon {
    const daemon = this.#daemons.get(name);
    if (daemon) return daemon;
    throw new Error(`no daemon ${name}: there are ${[...this.#daemons.keys()].join(', ')}`);
  }

  #plan(config: string): Map<string, Daemon> {
    const { enter } = this.#network;
    const file = (name: string): string => join(this.#folder, name);
    const munged = [
      programPath('munged'),
      '--foreground',
      '--force',
      `--key-file=${file('keys/munge')}`,
      `--socket=${file('munge/socket')}`,
      `--pid-file=${file('munge/pid')}`,
      `--log-file=${file('log/munged')}`,
      `--seed-file=${file('keys/seed')}`,
    ];
    const controller = enter(CONTROLLER, [programPath('slurmctld'), '-D', '-f', config]);
    const daemons = new Map([
      ['munged', new Daemon(munged, file('log/munged.out'))],
      ['slurmctld', new Daemon(controller, file('log/slurmctld'))],
    ]);
    for (const node of this.nodes) {
      const words = [programPath('slurmd'), '-D', '-N', node, '-f', config];
      daemons.set(node, new Daemon(enter(node, words), file(`log/${node}`)));
    }
    return daemons;
  }
}

/** Daemons are not on everybody's PATH. */
const findProgram = (name: string): string | undefined =>
  [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin']
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));

function programPath(name: string): string {
  const path = findProgram(name);
  if (path) return path;
  throw new Error(`${name} is missing`);
}
