// What every world has that can die: servers, supervisor, worker, jobs, the network between them, and all of it at once.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processIdentity } from '../../infra/process/identity.ts';
import {
  type ChildName,
  childLives,
  supervisorLives,
} from '../../workers/supervise/supervisor-state.ts';
import type { World } from '../e2e/test-machine.ts';
import type { Arena } from './chaos-run.ts';
import type { Role } from './claim-processes.ts';
import { type Blow, processVictim, send, type Target, type Victim, wireVictim } from './kill-target.ts';
import type { Watch } from './watch.ts';

/** Around the stall limit, so that some stopped trainers are given up and others go on. */
const STALLED_MS = [1_000, 40_000] as const;
const STOPPED_MS = [1_000, 8_000] as const;
/** Beyond half the stall limit, after which a wrapper without a store gives up. */
const NETWORK_MS_MAX = 20_000;
const POLL_MS = 100;

export function worldVictims({ world, wires }: Arena, watch: Watch): Victim[] {
  const child = (name: ChildName) => () => childTarget(world, name);
  const job = (role: Role) => () => jobTargets(watch, role);
  return [
    processVictim('trainer', 4, job('trainer'), STALLED_MS),
    processVictim('wrapper', 4, job('wrapper'), STOPPED_MS),
    processVictim('worker', 3, child('worker'), STOPPED_MS),
    processVictim('supervisor', 2, () => supervisorTarget(world), STOPPED_MS),
    processVictim('query process', 2, () => queryTargets(world), STOPPED_MS),
    processVictim('Temporal server', 3, child('temporal'), STOPPED_MS),
    processVictim('S3 server', 3, child('s3'), STOPPED_MS),
    wireVictim('network to Temporal', 3, () => [wires.temporal], NETWORK_MS_MAX),
    wireVictim('network to S3', 3, () => [wires.s3], NETWORK_MS_MAX),
    { name: 'the whole machine', weight: 1, strike: () => killAll(world, watch) },
  ];
}

function childTarget(world: World, name: ChildName): Target[] {
  const child = world.supervisor.children[name];
  if (child?.pid == null || child.identity === null) return [];
  return [{ pid: child.pid, identity: child.identity, what: name }];
}

function supervisorTarget({ supervisor }: World): Target[] {
  const { pid, identity } = supervisor;
  return [{ pid, identity, what: 'supervisor' }];
}

function jobTargets(watch: Watch, role: Role): Target[] {
  return watch.of(role).map(({ pid, identity, key, claim }) => ({
    pid,
    identity,
    what: `${role} of ${key.slice(0, 8)}, claim ${claim}`,
  }));
}

const queryTargets = (world: World): Target[] =>
  targetsOf(world, 'duckdb/child.ts').map((target) => ({ ...target, what: 'query process' }));

function targetsOf(world: World, mention: string): Target[] {
  return world.processes(mention).flatMap(({ pid, command }) => {
    const identity = processIdentity(pid);
    return identity === null ? [] : [{ pid, identity, what: command }];
  });
}

/** Other machines are played by folders below `hosts`, and stay as they are. */
async function killAll(world: World, watch: Watch): Promise<Blow | null> {
  const { supervisor } = world;
  if (!supervisorLives(supervisor) && !childLives(supervisor.children.worker)) return null;
  const hosts = join(world.stateDir, 'hosts');
  const away = new Set(
    watch.running.flatMap(({ pid, folder }) => (folder.startsWith(hosts) ? [pid] : [])),
  );
  // Whoever is killed last may have started somebody meanwhile.
  for (;;) {
    const found = targetsOf(world, '');
    const here = found.filter(({ pid, what }) => !away.has(pid) && !what.includes(hosts));
    if (here.length === 0) break;
    for (const target of here) send(target, 'SIGKILL');
    await sleep(POLL_MS);
  }
  return { how: 'SIGKILL', what: 'all processes of the machine', over: Promise.resolve() };
}
