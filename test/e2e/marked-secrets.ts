// A mark in every variable that contains a secret, and the processes that are seen with it while a campaign is played.
import { setInterval } from 'node:timers';
import { holdersOf } from '../contracts/holders-of.ts';
import { processesOf } from './processes.ts';

export const MARK = '5ec7e7bea7';

/** Of a Temporal server that is not this machine's. */
const OF_TEMPORAL = [
  'TEMPORAL_API_KEY',
  'TEMPORAL_CODEC_AUTH',
  'TEMPORAL_GRPC_META_AUTHORIZATION',
  'TEMPORAL_TLS_CLIENT_CERT_DATA',
  'TEMPORAL_TLS_CLIENT_KEY_DATA',
];
const OF_STORES = [
  'AWS_ACCESS_KEY_ID',
  'AWS_CONTAINER_AUTHORIZATION_TOKEN',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'EVO_SEALED_AWS_ACCESS_KEY_ID',
  'EVO_SEALED_AWS_SECRET_ACCESS_KEY',
  'EVO_SEALED_AWS_SESSION_TOKEN',
];
const OF_OTHERS = [
  'HF_TOKEN',
  'LLM_API_KEY',
  'PGPASSWORD',
  'SSH_KEY_PASSPHRASE',
  'SSH_PRIVATE_KEY',
];

export const MARKED: Readonly<Record<string, string>> = Object.fromEntries([
  ...[...OF_TEMPORAL, ...OF_STORES, ...OF_OTHERS].map((name) => [name, `${name}.${MARK}`]),
  ['HTTPS_PROXY', `http://ada:${MARK}@127.0.0.1:9`],
]);

/** What each program may have in its environment; all others nothing. */
export const MAY_HAVE: Readonly<Record<string, readonly string[]>> = {
  'cli/evo.ts': Object.keys(MARKED).toSorted(),
  // It starts the worker.
  'workers/supervisor.ts': withoutTemporal(),
  'workers/worker.ts': withoutTemporal(),
};

export interface SeenSecrets {
  /** Words of command lines that have the mark. */
  readonly commands: readonly string[];
  /** Programs with the variables that have it. */
  readonly variables: Readonly<Record<string, readonly string[]>>;
  /** Command lines of all processes of the folder, to show that those of interest were looked at. */
  readonly looked: readonly string[];
}

/** Looks several times a second until it is stopped. */
export function watchSecrets(folder: string): () => SeenSecrets {
  const [commands, looked] = [new Set<string>(), new Set<string>()];
  const variables = new Map<string, Set<string>>();
  const look = (): void => {
    for (const { command } of processesOf(folder)) looked.add(command);
    for (const { program, command, variables: names } of holdersOf(MARK)) {
      for (const word of command) commands.add(word);
      const known = variables.get(program) ?? new Set();
      variables.set(program, known);
      for (const name of names) known.add(name);
    }
  };
  const timer = setInterval(look, 200);
  return () => {
    clearInterval(timer);
    const seen = [...variables].map(([program, names]) => [program, [...names].toSorted()]);
    return { commands: [...commands], variables: Object.fromEntries(seen), looked: [...looked] };
  };
}

function withoutTemporal(): string[] {
  return Object.keys(MARKED)
    .filter((name) => !OF_TEMPORAL.includes(name))
    .toSorted();
}
