// Keeps this machine's Temporal server, S3 server and worker running. It and each of them have sessions of their own,
// so a killed supervisor leaves them running, and the next one takes them over.
import { tryLock } from '../infra/lock/file-lock.ts';
import { keepFilesPrivate } from '../infra/machine/private-files.ts';
import { processIdentity } from '../infra/process/identity.ts';
import { keepPoolAwake } from '../infra/process/keep-pool-awake.ts';
import { probePort } from '../infra/process/port-holder.ts';
import { DEFAULT_PORTS, readEnvironment, type Environment } from './config.ts';
import { statePaths, type StatePaths } from './paths.ts';
import { childSpecs } from './supervise/children.ts';
import { Keeper } from './supervise/keeper.ts';
import {
  childLives,
  readSupervisorState,
  readWanted,
  removeSupervisorState,
  writeSupervisorState,
  type SupervisorState,
} from './supervise/supervisor-state.ts';
import { stopChildren } from './supervise/stop.ts';
import { LOCK_HELD } from './supervise/ensure-supervisor.ts';

const tickMs = 500;

async function supervise(environment: Environment, paths: StatePaths): Promise<void> {
  keepPoolAwake();
  const past = readSupervisorState(paths);
  const state = await takeOver(environment, past);
  writeSupervisorState(paths, state);
  const keeper = new Keeper(paths, state);
  let stopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => (stopping = true));
  process.on('SIGHUP', () => undefined);
  while (!stopping) {
    const wanted = readWanted(paths);
    if (wanted.s3) state.ports.s3 ??= await choosePort(environment.ports.s3, DEFAULT_PORTS.s3);
    for (const spec of childSpecs(environment, paths, state.ports, wanted)) {
      if (!stopping) await keeper.keep(spec);
    }
    await new Promise((resolve) => setTimeout(resolve, tickMs));
  }
  await stopChildren(state, paths);
  removeSupervisorState(paths);
}

/** A new supervisor keeps the ports of servers that still run, because their clients use them. */
async function takeOver(
  environment: Environment,
  past: SupervisorState | null,
): Promise<SupervisorState> {
  const { ports } = environment;
  const lives = childLives(past?.children.temporal);
  return {
    version: 1,
    pid: process.pid,
    identity: processIdentity(process.pid) ?? '',
    startedAt: new Date().toISOString(),
    namespace: environment.temporal.namespace,
    ports:
      past && (lives || ports.temporal === null)
        ? past.ports
        : {
            temporal: await choosePort(ports.temporal, DEFAULT_PORTS.temporal),
            ui: await choosePort(ports.ui, DEFAULT_PORTS.ui),
            s3: past?.ports.s3 ?? null,
          },
    children: past?.children ?? {},
  };
}

/** For 0 a free port is chosen once and kept in the state file. */
const choosePort = async (asked: number | null, otherwise: number): Promise<number> =>
  asked === 0 ? ((await probePort(0)) ?? otherwise) : (asked ?? otherwise);

keepFilesPrivate();
const environment = readEnvironment();
const paths = statePaths(environment.stateDir);
const lock = tryLock(paths.supervisorLock);
if (lock) {
  await supervise(environment, paths);
  lock.release();
} else {
  process.exitCode = LOCK_HELD;
}
