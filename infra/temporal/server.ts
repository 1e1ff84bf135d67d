// The Temporal server of one machine: `temporal server start-dev` over a database file, so that it survives a restart.
import { Connection } from '@temporalio/client';
import { HOST } from '../process/port-holder.ts';
import { toolPath } from '../machine/tools.ts';

/** TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW of the wire protocol. */
const WORKFLOW_TASKS = 1;

/**
 * Settings of a server that serves one machine. By default its history service looks for tasks to pass on 20 times a
 * second, which makes every hop of a workflow about 40 ms long: half of what a campaign takes beside its jobs.
 */
export const SERVER_SETTINGS = [
  '--dynamic-config-value',
  'history.transferProcessorMaxPollRPS=1000',
] as const;

/** Search attributes of our workflows. Registering one that exists already is no error. */
export const SEARCH_ATTRIBUTES = {
  EvoCampaign: 'Keyword',
  EvoDomain: 'Keyword',
  EvoGeneration: 'Int',
  EvoPhase: 'Keyword',
  EvoScore: 'Double',
} as const;

export interface TemporalServerOptions {
  readonly databaseFile: string;
  readonly port: number;
  readonly uiPort: number;
  readonly namespace: string;
}

/** The command line of the server; the caller spawns it. */
export function temporalServerCommand(options: TemporalServerOptions): {
  program: string;
  args: string[];
} {
  const attributes = Object.entries(SEARCH_ATTRIBUTES).flatMap(([name, type]) => [
    '--search-attribute',
    `${name}=${type}`,
  ]);
  return {
    program: toolPath('temporal'),
    args: [
      ...['server', 'start-dev', '--ip', HOST],
      ...['--port', String(options.port), '--ui-port', String(options.uiPort)],
      ...['--db-filename', options.databaseFile, '--namespace', options.namespace],
      ...['--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', 'synchronous=NORMAL'],
      ...['--log-level', 'error', '--color', 'never', '--ui-disable-news-fetch'],
      ...SERVER_SETTINGS,
      ...attributes,
    ],
  };
}

/** True when the server answers for the namespace. */
export async function temporalAnswers(address: string, namespace: string): Promise<boolean> {
  const answer = await withConnection(address, (connection) =>
    connection.workflowService.describeNamespace({ namespace }),
  );
  return answer !== null;
}

/** True when some worker has asked for workflow tasks of ours since the given time. */
export async function workerPolls(where: {
  readonly address: string;
  readonly namespace: string;
  readonly taskQueue: string;
  readonly since: string;
}): Promise<boolean> {
  const { address, namespace, taskQueue, since } = where;
  const answer = await withConnection(address, (connection) =>
    connection.workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name: taskQueue },
      taskQueueType: WORKFLOW_TASKS,
    }),
  );
  const sinceS = Date.parse(since) / 1000;
  return (answer?.pollers ?? []).some(
    (poller) => Number(poller.lastAccessTime?.seconds ?? 0) + 1 >= sinceS,
  );
}

/** Null where the server cannot be asked. */
async function withConnection<Answer>(
  address: string,
  ask: (connection: Connection) => Promise<Answer>,
): Promise<Answer | null> {
  let connection: Connection | undefined;
  try {
    connection = await Connection.connect({ address, connectTimeout: '2s' });
    const open = connection;
    return await open.withDeadline(Date.now() + 2000, () => ask(open));
  } catch {
    return null;
  } finally {
    await connection?.close();
  }
}
