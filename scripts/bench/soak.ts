// A campaign of many generations on a real server, worker, workflows, activities and ledger, with synthetic jobs and
// queries: does anything grow with the number of generations?
//
// node scripts/bench/soak.ts [--generations N] [--interventions K] [--every N] [--out FILE]
import { writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { BenchServer, benchConfig } from './bench-server.ts';
import { reportSoak, type SoakSample, type WorkflowFigures } from './soak-report.ts';

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
const POLL_MS = 2000;

const config = benchConfig({ name: 'soak', generations, interventions });

const bench = await BenchServer.open(fileURLToPath(new URL('soak-worker.ts', import.meta.url)));
try {
  await bench.start(config);
  const report = reportSoak({
    generations,
    interventions,
    cores: availableParallelism(),
    samples: await follow(),
    load: loadavg()[1] ?? 0,
    campaigns: await workflowsOf('campaignWorkflow'),
    generationRuns: await workflowsOf('generationWorkflow'),
    branches: await workflowsOf('branchWorkflow'),
  });
  process.stdout.write(`${report}\n`);
  if (values.out !== undefined) await writeFile(values.out, `${report}\n`);
} finally {
  await bench.close();
}

/** Samples the memory every `every` generations until the campaign has ended. */
async function follow(): Promise<SoakSample[]> {
  const samples = [await sample(0)];
  for (let isRunning = true; isRunning;) {
    await sleep(POLL_MS);
    isRunning = await bench.isRunning(config.name);
    const { count } = await bench.client.workflow.count(
      'WorkflowType = "generationWorkflow" AND ExecutionStatus = "Completed"',
    );
    const last = samples.at(-1)?.generation ?? 0;
    if (count < last + every && (isRunning || count === last)) continue;
    const taken = await sample(count);
    samples.push(taken);
    process.stderr.write(`${JSON.stringify(taken)}\n`);
  }
  return samples;
}

async function sample(generation: number): Promise<SoakSample> {
  return { generation, ...(await bench.memory()) };
}

async function workflowsOf(type: string): Promise<WorkflowFigures[]> {
  const found: WorkflowFigures[] = [];
  for await (const one of bench.client.workflow.list({ query: `WorkflowType = "${type}"` })) {
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
