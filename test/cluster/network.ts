// Hosts of a network of their own on this machine: a namespace each, on one bridge that leads nowhere else.
import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { isAlive, processIdentity } from '../../infra/process/identity.ts';

const NETWORKS_MAX = 250;
const TRIES_MAX = 50;
const BRIDGE = /^(evo\d+)@?\S*$/;

export interface HostNetwork {
  /** This machine, as the hosts reach it. */
  readonly gateway: string;
  addressOf(host: string): string;
  /** Program and arguments that run `words` on that host. Files and processes are those of this machine. */
  readonly enter: (host: string, words: readonly string[]) => string[];
  /** As if its cable were pulled. */
  cut(host: string): void;
  heal(host: string): void;
  /** Processes on that host. */
  pids(host: string): number[];
  close(): void;
}

/** Why there can be none; empty where there can. */
export function networkMissing(): string {
  if (process.platform !== 'linux') return 'network namespaces are there on Linux alone';
  if (process.getuid?.() !== 0) return 'only root makes network namespaces';
  const bridge = `evo-p${process.pid}`;
  try {
    ip('link', 'add', bridge, 'type', 'bridge');
    ip('link', 'del', bridge);
    execFileSync('unshare', ['-n', 'true'], { stdio: 'ignore' });
    return '';
  } catch {
    return 'no network namespace or bridge can be made here';
  }
}

export function openNetwork(hosts: readonly string[]): HostNetwork {
  sweep();
  const bridge = makeBridge();
  const subnet = `10.213.${bridge.slice(3)}`;
  const indexOf = (host: string): number => {
    const index = hosts.indexOf(host);
    if (index < 0) throw new Error(`no host ${host}: there are ${hosts.join(', ')}`);
    return index;
  };
  const addressOf = (host: string): string => `${subnet}.${10 + indexOf(host)}`;
  const namespaceOf = (host: string): string => `${bridge}-${host}`;
  const cable = (host: string): string => `${bridge}v${indexOf(host)}`;
  const enter = (host: string, words: readonly string[]): string[] => [
    'nsenter',
    `--net=/run/netns/${namespaceOf(host)}`,
    ...words,
  ];
  try {
    ip('address', 'add', `${subnet}.1/24`, 'dev', bridge);
    ip('link', 'set', bridge, 'up');
    for (const host of hosts) {
      const namespace = namespaceOf(host);
      ip('netns', 'add', namespace);
      ip('link', 'add', cable(host), 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace);
      ip('link', 'set', cable(host), 'master', bridge, 'up');
      ip('-n', namespace, 'link', 'set', 'lo', 'up');
      ip('-n', namespace, 'address', 'add', `${addressOf(host)}/24`, 'dev', 'eth0');
      ip('-n', namespace, 'link', 'set', 'eth0', 'up');
    }
  } catch (error) {
    dropNetwork(bridge);
    throw error;
  }
  return {
    gateway: `${subnet}.1`,
    addressOf,
    enter,
    cut: (host) => ip('link', 'set', cable(host), 'down'),
    heal: (host) => ip('link', 'set', cable(host), 'up'),
    pids: (host) => pidsIn(namespaceOf(host)),
    close: () => dropNetwork(bridge),
  };
}

/** The name is the lock: of two who want the same network, one is told that it exists. */
function makeBridge(): string {
  const owner = `evotrainer ${process.pid} ${processIdentity(process.pid)}`;
  for (let left = TRIES_MAX; ; left--) {
    const bridge = `evo${randomInt(NETWORKS_MAX)}`;
    try {
      ip('link', 'add', bridge, 'type', 'bridge');
      ip('link', 'set', bridge, 'alias', owner);
      return bridge;
    } catch (error) {
      if (left === 0) throw error;
    }
  }
}

/** What owners that were killed left behind. */
function sweep(): void {
  const links = ip('-o', 'link', 'show', 'type', 'bridge').split('\n');
  for (const link of links) {
    const [, bridge] = BRIDGE.exec(link.split(': ')[1] ?? '') ?? [];
    const [, pid, identity] = /alias evotrainer (\d+) (\S+)/.exec(link) ?? [];
    if (bridge === undefined || pid === undefined || identity === undefined) continue;
    if (!isAlive(Number(pid), identity)) dropNetwork(bridge);
  }
}

function dropNetwork(bridge: string): void {
  const namespaces = ip('netns', 'list').split('\n');
  for (const namespace of namespaces.map((line) => line.split(' ')[0] ?? '')) {
    if (!namespace.startsWith(`${bridge}-`)) continue;
    dropNamespace(namespace);
  }
  const cables = ip('-o', 'link', 'show', 'master', bridge).split('\n');
  for (const cable of cables.flatMap((line) => /^\d+: ([^@:]+)/.exec(line)?.[1] ?? [])) {
    drop(cable);
  }
  drop(bridge);
}

/** Two clusters that start at the same time may both drop what a third one left. */
function dropNamespace(namespace: string): void {
  try {
    for (const pid of pidsIn(namespace)) killHard(pid);
    ip('netns', 'delete', namespace);
  } catch (error) {
    if (ip('netns', 'list').includes(namespace)) throw error;
  }
}

/** The kernel drops the cables of a namespace by itself, some time after it. */
function drop(link: string): void {
  try {
    ip('link', 'delete', link);
  } catch {
    if (ip('-o', 'link', 'show').includes(`: ${link}`))
      throw new Error(`${link} cannot be deleted`);
  }
}

const pidsIn = (namespace: string): number[] =>
  ip('netns', 'pids', namespace).split('\n').filter(Boolean).map(Number);

function killHard(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended meanwhile.
  }
}

const ip = (...words: string[]): string =>
  execFileSync('ip', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
