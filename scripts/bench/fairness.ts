// Many campaigns on one worker, one store and four slots: does each get its share of the slots?
// node scripts/bench/fairness.ts [--campaigns N] [--wide N] [--generations N] [--out FILE]
import { glob, readFile, stat, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { workflowIds } from '../../core/ids.ts';
import type { CampaignConfig } from '../../core/schemas/campaign-config.ts';
import { claimRequestSchema } from '../../infra/jobs/claim-folder.ts';
import { BenchServer, benchConfig, type ProcessMemory } from './bench-server.ts';
import { type JobTimes, reportFairness } from './fairness-report.ts';

const { values } = parseArgs({
  options: {
    campaigns: { type: 'string', default: '50' },
    wide: { type: 'string', default: '5' },
    generations: { type: 'string', default: '1' },
    out: { type: 'string' },
  },
});
const [count, wide, generations] = [values.campaigns, values.wide, values.generations].map(Number);
const POLL_MS = 2000;
/** Interventions per campaign; each also trains the control. */
const INTERVENTIONS = { narrow: 1, wide: 7 } as const;

const configs = Array.from({ length: count ?? 0 }, (_, index) => {
  const isWide = index < (wide ?? 0);
  return benchConfig({
    name: `${isWide ? 'wide' : 'narrow'}-${index + 1}`,
    seed: index,
    generations,
    interventions: isWide ? INTERVENTIONS.wide : INTERVENTIONS.narrow,
  });
});

const bench = await BenchServer.open(fileURLToPath(new URL('fairness-worker.ts', import.meta.url)));
try {
  const before = await bench.memory();
  const startedAt = Date.now();
  await Promise.all(configs.map(async (config) => begin(config)));
  const memory: ProcessMemory[] = [before];
  let running = configs.map(({ name }) => name);
  while (running.length > 0) {
    await sleep(POLL_MS);
    const still = await Promise.all(running.map(async (name) => bench.isRunning(name)));
    running = running.filter((_, index) => still[index]);
    memory.push(await bench.memory());
    process.stderr.write(`${running.length} campaigns are running\n`);
  }
  const report = reportFairness({
    campaigns: configs.length,
    wide: wide ?? 0,
    interventions: INTERVENTIONS,
    cores: availableParallelism(),
    load: loadavg()[1] ?? 0,
    startedAt,
    memory,
    jobs: await jobTimes(bench.paths.jobs),
  });
  process.stdout.write(`${report}\n`);
  if (values.out !== undefined) await writeFile(values.out, `${report}\n`);
} finally {
  await bench.close();
}

/** Injects as many interventions as the campaign asks for, so that the researcher's finds do not matter. */
async function begin({ name, interventions, ...rest }: CampaignConfig): Promise<void> {
  await bench.start({ name, interventions, ...rest });
  const handle = bench.client.workflow.getHandle(workflowIds.campaign(name));
  for (let value = 1; value <= interventions; value++) {
    const patch = [{ op: 'replace', path: '/rollout/max_tokens', value: 40 + value }];
    const hypothesis = 'if the limit rises then truncation falls';
    await handle.signal('inject', { id: `m${value}`, intervention: { patch, hypothesis } });
  }
}

/** When each claim was queued, got its slot and wrote its result. */
async function jobTimes(folder: string): Promise<JobTimes[]> {
  const times: JobTimes[] = [];
  for await (const path of glob('*/*/result.json', { cwd: folder })) {
    const claim = join(folder, path, '..');
    const text = await readFile(join(claim, 'request.json'), 'utf8');
    const { campaign, step } = claimRequestSchema.parse(JSON.parse(text));
    const [queued, started, ended] = await Promise.all(
      ['request.json', 'trainer.json', 'result.json'].map(async (name) => stat(join(claim, name))),
    );
    if (!queued || !started || !ended) continue;
    times.push({
      campaign,
      step,
      queuedAt: queued.mtimeMs,
      startedAt: started.mtimeMs,
      endedAt: ended.mtimeMs,
    });
  }
  return times;
}
