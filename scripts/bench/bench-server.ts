// The servers of a bench: a state folder of its own, a Temporal server as `evo up` starts it, and a worker process.
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { z } from 'zod';
import { digestOf } from '../../activities/shared/config-digest.ts';
import { HISTORY_BYTES_MAX } from '../../core/campaign.ts';
import { TASK_QUEUE, workflowIds } from '../../core/ids.ts';
import { type CampaignConfig, campaignConfigSchema } from '../../core/schemas/campaign-config.ts';
import { HOST, probePort } from '../../infra/process/port-holder.ts';
import { temporalAnswers, temporalServerCommand } from '../../infra/temporal/server.ts';
import { childVariables } from '../../workers/config.ts';
import { type StatePaths, statePaths } from '../../workers/paths.ts';

const NAMESPACE = 'default';
const START_MS_MAX = 60_000;
const END_MS_MAX = 20_000;

/** A campaign on synthetic results, with the smallest sets on which the guards can decide. */
export const benchConfig = (more: object): CampaignConfig =>
  campaignConfigSchema.parse({
    domain: 'math.chain',
    recipe: { reward: { components: [{ feature: 'visible_pass', weight: 1 }] } },
    evaluation: {
      select_tasks: 200,
      select_samples: 1,
      canary_tasks: 200,
      promotion_tasks: 100,
      promotion_samples: 1,
      category_tasks: 10,
    },
    ...more,
  });

export interface ProcessMemory {
  readonly workerRssBytes: number;
  readonly workerHeapBytes: number;
  readonly serverRssBytes: number;
  readonly databaseBytes: number;
  /** Processor seconds since its start. */
  readonly workerCpuS: number;
}

export class BenchServer {
  readonly paths: StatePaths;
  readonly client: Client;
  readonly #connection: Connection;
  readonly #server: ChildProcess;
  readonly #worker: ChildProcess;

  private constructor(
    paths: StatePaths,
    connection: Connection,
    children: { readonly server: ChildProcess; readonly worker: ChildProcess },
  ) {
    this.paths = paths;
    this.client = new Client({ connection, namespace: NAMESPACE });
    this.#connection = connection;
    this.#server = children.server;
    this.#worker = children.worker;
  }

  static async open(workerPath: string): Promise<BenchServer> {
    const paths = statePaths(await mkdtemp(join(tmpdir(), 'evo-bench-')));
    const [port, uiPort] = [(await probePort(0)) ?? 0, (await probePort(0)) ?? 0];
    const address = `${HOST}:${port}`;
    const databaseFile = paths.temporalDatabase;
    const { program, args } = temporalServerCommand({
      databaseFile,
      namespace: NAMESPACE,
      port,
      uiPort,
    });
    const server = spawn(program, args, { stdio: 'ignore' });
    for (const end = Date.now() + START_MS_MAX; !(await temporalAnswers(address, NAMESPACE));) {
      if (Date.now() > end) throw new Error('the Temporal server did not come up');
      await sleep(100);
    }
    const worker = fork(workerPath, [], {
      execArgv: ['--expose-gc', '--disable-warning=ExperimentalWarning'],
      env: childVariables({ EVO_STATE_DIR: paths.root, TEMPORAL_ADDRESS: address }),
    });
    const connection = await Connection.connect({ address });
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        for (const child of [worker, server]) child.kill('SIGKILL');
        process.exit(1);
      });
    }
    return new BenchServer(paths, connection, { server, worker });
  }

  async start(config: CampaignConfig): Promise<void> {
    await this.client.workflow.start('campaignWorkflow', {
      workflowId: workflowIds.campaign(config.name),
      taskQueue: TASK_QUEUE,
      args: [{ config, configDigest: digestOf(config), historyBytesMax: HISTORY_BYTES_MAX }],
    });
  }

  /** False once the campaign has ended. Throws if it is parked or the worker died, because it would never end. */
  async isRunning(name: string): Promise<boolean> {
    if (this.#worker.exitCode !== null) throw new Error('the worker ended');
    const handle = this.client.workflow.getHandle(workflowIds.campaign(name));
    if ((await handle.describe()).status.name !== 'RUNNING') {
      await handle.result();
      return false;
    }
    const { phase, parked } = await handle.query<{ phase: string; parked: unknown }>('status');
    if (phase === 'parked') throw new Error(`${name} parked: ${JSON.stringify(parked)}`);
    return true;
  }

  async memory(): Promise<ProcessMemory> {
    const answer = once(this.#worker, 'message');
    this.#worker.send('memory');
    const usage = z.object({ heapUsed: z.number(), cpuS: z.number() }).parse((await answer)[0]);
    const sizes = ['', '-wal'].map((suffix) => sizeOf(`${this.paths.temporalDatabase}${suffix}`));
    return {
      workerRssBytes: await residentBytes(this.#worker.pid),
      workerHeapBytes: usage.heapUsed,
      workerCpuS: usage.cpuS,
      serverRssBytes: await residentBytes(this.#server.pid),
      databaseBytes: (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0),
    };
  }

  async close(): Promise<void> {
    await this.#connection.close();
    await end(this.#worker);
    await end(this.#server);
    await rm(this.paths.root, { recursive: true, force: true });
  }
}

async function residentBytes(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return 1024 * Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN);
}

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), END_MS_MAX);
  await gone;
  clearTimeout(late);
}
