// What a new supervisor keeps of the one before: the children that live, and the ports that their clients know.
import { processIdentity } from '../../infra/process/identity.ts';
import { probePort } from '../../infra/process/port-holder.ts';
import { DEFAULT_PORTS, type Environment } from '../config.ts';
import { stopSession } from './stop.ts';
import { CHILDREN, childLives, type SupervisorState } from './supervisor-state.ts';

/** The state with which this process begins to supervise. */
export async function takeOver(
  environment: Environment,
  past: SupervisorState | null,
): Promise<SupervisorState> {
  const ports = await portsAfter(environment, past);
  const children: SupervisorState['children'] = {};
  for (const name of CHILDREN) {
    const child = past?.children[name];
    // What ended did so before this supervisor, so it starts at once and leaves no problem to report.
    if (child && childLives(child)) children[name] = child;
  }
  const { worker } = children;
  if (worker && ports.temporal !== past?.ports.temporal) {
    // It would look for its server at the old port for ever.
    await stopSession(worker);
    delete children.worker;
  }
  return {
    version: 1,
    pid: process.pid,
    identity: processIdentity(process.pid) ?? '',
    startedAt: new Date().toISOString(),
    namespace: environment.temporal.namespace,
    ports,
    children,
  };
}

export const chooseS3Port = ({ ports }: Environment): Promise<number> =>
  choosePort(ports.s3, null, DEFAULT_PORTS.s3);

async function portsAfter(
  { ports }: Environment,
  past: SupervisorState | null,
): Promise<SupervisorState['ports']> {
  if (past && childLives(past.children.temporal)) return past.ports;
  const before = past?.ports ?? null;
  return {
    temporal: await choosePort(ports.temporal, before?.temporal ?? null, DEFAULT_PORTS.temporal),
    ui: await choosePort(ports.ui, before?.ui ?? null, DEFAULT_PORTS.ui),
    s3: before?.s3 ?? null,
  };
}

/** For 0 a free port is chosen once and kept while it is free. */
async function choosePort(
  asked: number | null,
  before: number | null,
  otherwise: number,
): Promise<number> {
  if (asked === null) return before ?? otherwise;
  if (asked !== 0) return asked;
  const kept = before === null ? null : await probePort(before);
  return kept ?? (await probePort(0)) ?? otherwise;
}
