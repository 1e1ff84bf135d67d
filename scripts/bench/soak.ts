// A campaign of many generations on a real server, worker, workflows, activities and ledger, with jobs and queries made up:
// does anything grow with the past?
// node scripts/bench/soak.ts [--generations N] [--interventions K] [--every N] [--out FILE]
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { z } from 'zod';
import { HISTORY_BYTES_MAX } from '../../core/campaign.ts';
import { TASK_QUEUE, workflowIds } from '../../core/ids.ts';
import { campaignConfigSchema } from '../../core/schemas/campaign-config.ts';
import { digestOf } from '../../cli/start-campaign.ts';
import { HOST, probePort } from '../../infra/process/port-holder.ts';
import { temporalAnswers, temporalServerCommand } from '../../infra/temporal/server.ts';
import { childVariables } from '../../workers/config.ts';
import { statePaths } from '../../workers/paths.ts';
import { reportSoak, type Sample, type WorkflowFigures } from './soak-report.ts';

const { values } = parseArgs({
  options: {
    generations: { type: 'string', default: '1000' },
    interventions: { type: 'string', default: '2' },
    every: { type: 'string', default: '100' },
    out: { type: 'string' },
  },
});
const generations = Number(values.generations);
const interventions = Number(values.interventions);
const every = Number(values.every);
const NAMESPACE = 'default';
const START_MS_MAX = 60_000;
const POLL_MS = 2000;

const config = campaignConfigSchema.parse({
  name: 'soak',
  domain: 'math.chain',
  generations,
  interventions,
  recipe: { reward: { components: [{ feature: 'visible_pass', weight: 1 }] } },
  evaluation: {
    // As few as the guards can decide by.
    select_tasks: 200,
    select_samples: 1,
    canary_tasks: 200,
    promotion_tasks: 100,
    promotion_samples: 1,
    category_tasks: 10,
  },
});

const folder = await mkdtemp(join(tmpdir(), 'evo-soak-'));
const paths = statePaths(folder);
const ports = { port: (await probePort(0)) ?? 0, uiPort: (await probePort(0)) ?? 0 };
const address = `${HOST}:${ports.port}`;
const { program, args } = temporalServerCommand({
  databaseFile: paths.temporalDatabase,
  namespace: NAMESPACE,
  ...ports,
});
const server = spawn(program, args, { stdio: 'ignore' });
const children: ChildProcess[] = [server];
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    for (const child of children) child.kill('SIGKILL');
    process.exit(1);
  });
}
try {
  await until('the server', () => temporalAnswers(address, NAMESPACE));
  const worker = fork(fileURLToPath(new URL('soak-worker.ts', import.meta.url)), [], {
    execArgv: ['--expose-gc', '--disable-warning=ExperimentalWarning'],
    env: childVariables({ EVO_STATE_DIR: folder, TEMPORAL_ADDRESS: address }),
  });
  children.push(worker);
  const connection = await Connection.connect({ address });
  const client = new Client({ connection, namespace: NAMESPACE });
  await client.workflow.start('campaignWorkflow', {
    workflowId: workflowIds.campaign(config.name),
    taskQueue: TASK_QUEUE,
    args: [{ config, configDigest: digestOf(config), historyBytesMax: HISTORY_BYTES_MAX }],
  });
  const samples = await follow(client, worker);
  const figures = {
    generations,
    interventions,
    cores: availableParallelism(),
    load: loadavg()[1] ?? 0,
    samples,
    campaigns: await workflowsOf(client, 'campaignWorkflow'),
    generationRuns: await workflowsOf(client, 'generationWorkflow'),
    branches: await workflowsOf(client, 'branchWorkflow'),
  };
  const report = reportSoak(figures);
  process.stdout.write(`${report}\n`);
  if (values.out !== undefined) await writeFile(values.out, `${report}\n`);
  await connection.close();
} finally {
  for (const child of children.toReversed()) await end(child);
  await rm(folder, { recursive: true, force: true });
}

/** Until the campaign has ended; a sample each so many generations. */
async function follow(client: Client, worker: ChildProcess): Promise<Sample[]> {
  const samples: Sample[] = [await sample(worker, 0)];
  const handle = client.workflow.getHandle(workflowIds.campaign(config.name));
  for (;;) {
    await sleep(POLL_MS);
    if (worker.exitCode !== null) throw new Error('the worker ended');
    const { count } = await client.workflow.count(
      'WorkflowType = "generationWorkflow" AND ExecutionStatus = "Completed"',
    );
    const { status } = await handle.describe();
    const last = samples.at(-1)?.generation ?? 0;
    const isOver = status.name !== 'RUNNING';
    if (count >= last + every || (isOver && count > last)) {
      const taken = await sample(worker, count);
      samples.push(taken);
      process.stderr.write(`${JSON.stringify(taken)}\n`);
    }
    if (isOver) {
      await handle.result();
      return samples;
    }
    const view = await handle.query<{ phase: string; parked: unknown }>('status');
    if (view.phase === 'parked') throw new Error(`it parked: ${JSON.stringify(view.parked)}`);
  }
}

async function sample(worker: ChildProcess, generation: number): Promise<Sample> {
  const answer = once(worker, 'message');
  worker.send('memory');
  const [memory] = z.tuple([z.object({ heapUsed: z.number() })]).parse((await answer).slice(0, 1));
  const database = await Promise.all(
    ['', '-wal'].map((suffix) => sizeOf(`${paths.temporalDatabase}${suffix}`)),
  );
  return {
    generation,
    at: Date.now(),
    workerRssBytes: await residentBytes(worker.pid),
    workerHeapBytes: memory.heapUsed,
    serverRssBytes: await residentBytes(server.pid),
    databaseBytes: database.reduce((sum, size) => sum + size, 0),
  };
}

async function residentBytes(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return 1024 * Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN);
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

async function workflowsOf(client: Client, type: string): Promise<WorkflowFigures[]> {
  const found: WorkflowFigures[] = [];
  for await (const one of client.workflow.list({ query: `WorkflowType = "${type}"` })) {
    found.push({
      startedAt: +one.startTime,
      closedAt: one.closeTime === undefined ? null : +one.closeTime,
      events: one.historyLength,
      bytes: one.historySize ?? 0,
      status: one.status.name,
    });
  }
  return found.toSorted((left, right) => left.startedAt - right.startedAt);
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + START_MS_MAX; !(await holds()); await sleep(100)) {
    if (Date.now() > end) throw new Error(`${what} did not come up`);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), 20_000);
  await gone;
  clearTimeout(late);
}
