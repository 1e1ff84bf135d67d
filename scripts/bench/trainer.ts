// How fast does the trainer sample and train, against what this machine multiplies, and where do the seconds go?
// node scripts/bench/trainer.ts <config> [--steps N] [--honest ARM] [--set KEY=VALUE]…
// --policy FOLDER spares the warm-up; --parts leaves out the comparison of two at once.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { loadConfig } from '../../cli/load-config.ts';
import { initialHarness } from '../../core/harness/initial-harness.ts';
import { jobFeatures } from '../../core/harness/job-features.ts';
import { planWarmup } from '../../core/plan.ts';
import { loadCatalog } from '../../infra/harness-catalog/load-catalog.ts';
import { toolPath } from '../../infra/machine/tools.ts';
import { projectRoot } from '../../workers/paths.ts';
import { type Arm, armOf, STATIC } from './arm.ts';
import { openWorkshop, type PlainJob, runJob, stageJob } from './plain-job.ts';

const partsSchema = z.object({
  parameters: z.number(),
  optimizer_steps: z.number(),
  wall_s: z.number(),
  parts_s: z.record(z.string(), z.number()),
  counts: z.record(z.string(), z.number()),
  matmul_flops_per_s: z.record(z.string(), z.number()),
});

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    steps: { type: 'string', default: '20' },
    honest: { type: 'string', multiple: true, default: [] },
    set: { type: 'string', multiple: true, default: [] },
    trainer: { type: 'string', default: join(projectRoot, 'trainer') },
    work: { type: 'string' },
    policy: { type: 'string' },
    parts: { type: 'boolean', default: false },
  },
});
const [file] = positionals;
if (file === undefined) {
  process.stderr.write(
    'usage: node scripts/bench/trainer.ts <config> [--steps N] [--honest ARM]\n',
  );
  process.exit(2);
}
const steps = Number(options.steps);
const config = loadConfig([file], options.set);
const catalog = await loadCatalog(join(projectRoot, 'harness'));
const harness = initialHarness(catalog, config.domain, 'full');
const trainer = resolve(options.trainer);
const work = resolve(options.work ?? join(tmpdir(), `evotrainer-trainer-bench-${config.name}`));
const workshop = await openWorkshop(trainer, work);
const policy = options.policy ?? (await warmUp());
const arms: readonly Arm[] = [
  { name: STATIC, changes: '', recipe: config.recipe },
  ...options.honest.map((text) => armOf(text, config.recipe, catalog)),
];
say(`${config.domain}, ${file}`);
for (const arm of arms) measure(arm);
if (!options.parts)
  await compareTwo(arms.at(-1) ?? { name: STATIC, changes: '', recipe: config.recipe });

async function warmUp(): Promise<string> {
  const { spec } = planWarmup(config, 1);
  const { folder, seconds } = await runJob(workshop, config, 'warmup', { kind: 'warmup', spec });
  say(`warm start: ${seconds.toFixed(0)} s`);
  return join(folder, 'policy');
}

function measure(arm: Arm): void {
  // Made anew: a job that is there already would have nothing left to do.
  rmSync(join(work, `${arm.name}-parts`), { recursive: true, force: true });
  const place = stageJob(workshop, config, `${arm.name}-parts`, jobOf(arm, steps));
  const script = join(projectRoot, 'scripts', 'bench', 'trainer_parts.py');
  const { status, stdout, stderr } = spawnSync(toolPath('python'), [script, place], {
    encoding: 'utf8',
    env: { ...process.env, PYTHONPATH: trainer },
  });
  if (status !== 0) throw new Error(stderr);
  tell(arm, partsSchema.parse(JSON.parse(stdout)));
}

function tell({ name }: Arm, parts: z.infer<typeof partsSchema>): void {
  const { parts_s: seconds, counts, matmul_flops_per_s: rates } = parts;
  const total = sum(Object.values(seconds));
  const per100 = (100 * total) / parts.optimizer_steps;
  say(`\n${name}: ${parts.optimizer_steps} steps, ${parts.parameters} parameters`);
  say(
    `  ${total.toFixed(1)} s of processor (${parts.wall_s.toFixed(1)} s of clock), ${per100.toFixed(0)} s a 100 steps`,
  );
  for (const [stage, tokens] of [
    ['sampling', 'sampled tokens'],
    ['training', 'trained tokens'],
  ] as const) {
    const spent = sum(
      Object.entries(seconds).flatMap(([part, value]) => (part.startsWith(stage) ? [value] : [])),
    );
    const flops = counts[`${stage} flops`] ?? 0;
    const count = counts[tokens] ?? 0;
    const rate = rates[stage] ?? Number.NaN;
    say(
      `  ${stage}: ${(count / spent).toFixed(0)} tokens/s, ${(flops / spent / 1e9).toFixed(1)} GFLOP/s, ` +
        `${((100 * flops) / spent / rate).toFixed(0)} % of the products alone (${(rate / 1e9).toFixed(0)} GFLOP/s)`,
    );
  }
  for (const [part, value] of Object.entries(seconds)) {
    say(
      `  ${part.padEnd(28)} ${value.toFixed(2).padStart(8)} s ${((100 * value) / total).toFixed(1).padStart(6)} %`,
    );
  }
}

/** Two processes of one thread each, against one. */
async function compareTwo(arm: Arm): Promise<void> {
  for (const name of ['one', 'left', 'right']) {
    rmSync(join(work, name), { recursive: true, force: true });
  }
  const job = jobOf(arm, steps);
  const one = await runJob(workshop, config, 'one', job);
  const both = await Promise.all(
    ['left', 'right'].map(async (name) => runJob(workshop, config, name, job)),
  );
  const alone = trainingSeconds(one.folder);
  const slower = Math.max(...both.map(({ folder }) => trainingSeconds(folder)));
  say(`\nside by side, ${arm.name}:`);
  say(`  one ${alone.toFixed(1)} s, two at once ${slower.toFixed(1)} s of clock`);
  say(`  two do ${((2 * alone) / slower).toFixed(2)} times the work of one`);
}

function trainingSeconds(folder: string): number {
  const beat = z.object({ stage: z.string(), seconds: z.number() });
  const lines = readFileSync(join(folder, 'timing.jsonl'), 'utf8').trim().split('\n');
  const beats = lines.map((line) => beat.parse(JSON.parse(line)));
  return sum(beats.flatMap(({ stage, seconds }) => (stage === 'train' ? [seconds] : [])));
}

function jobOf({ recipe }: Arm, count: number): PlainJob {
  return {
    kind: 'train',
    features: jobFeatures(harness, recipe),
    inputs: { policy },
    spec: {
      recipe,
      budget: { ...config.budget, optimizer_steps: count },
      checkpoint_every: config.checkpoint_every,
      diag: { tasks: 1, samples: 1 },
    },
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
