// The programs a supervisor keeps running, in the order in which they start; they stop in the reverse order.
import { join } from 'node:path';
import { TASK_QUEUE_PREFIX } from '../../core/ids.ts';
import { HOST } from '../../infra/process/port-holder.ts';
import {
  temporalAnswers,
  temporalServerCommand,
  workerPolls,
} from '../../infra/temporal/server.ts';
import type { Environment } from '../config.ts';
import { projectRoot, type StatePaths } from '../paths.ts';
import type { ChildName, SupervisorState, Wanted } from './supervisor-state.ts';

export interface ChildSpec {
  readonly name: ChildName;
  readonly needs: readonly ChildName[];
  readonly ports: readonly number[];
  command(): { program: string; args: readonly string[]; variables: Record<string, string> };
  answers(startedAt: string): Promise<boolean>;
}

/** Flags with which every Node process of ours runs. */
export const NODE_FLAGS = ['--disable-warning=ExperimentalWarning'] as const;

export const temporalAddressOf = (state: Pick<SupervisorState, 'ports'>): string =>
  `${HOST}:${state.ports.temporal}`;

export function childSpecs(
  environment: Environment,
  paths: StatePaths,
  ports: SupervisorState['ports'],
  wanted: Wanted,
): ChildSpec[] {
  const { namespace } = environment.temporal;
  const address = temporalAddressOf({ ports });
  const temporal: ChildSpec = {
    name: 'temporal',
    needs: [],
    ports: [ports.temporal, ports.ui],
    command: () => ({
      ...temporalServerCommand({
        databaseFile: paths.temporalDatabase,
        port: ports.temporal,
        uiPort: ports.ui,
        namespace,
      }),
      variables: {},
    }),
    answers: () => temporalAnswers(address, namespace),
  };
  const worker: ChildSpec = {
    name: 'worker',
    needs: wanted.s3 ? ['temporal', 's3'] : ['temporal'],
    ports: [],
    command: () => ({
      program: process.execPath,
      args: [...NODE_FLAGS, join(projectRoot, 'workers', 'worker.ts')],
      variables: { EVO_STATE_DIR: paths.root },
    }),
    answers: (startedAt) =>
      workerPolls({ address, namespace, taskQueue: TASK_QUEUE_PREFIX, since: startedAt }),
  };
  return [temporal, worker];
}
