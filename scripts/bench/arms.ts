// Does the static arm game its reward, and does an honest one learn? From one warm start a seed, both are trained for the
// config's budget and play tasks and canaries that no campaign draws.
// node scripts/bench/arms.ts <config> <seeds, as in 1-5 or 1,3> --honest ARM…   (docs/results/*-arms.md are made by it)
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { loadConfig } from '../../cli/load-config.ts';
import { jobFeatures } from '../../core/harness/job-features.ts';
import { initialHarness } from '../../core/harness/initial-harness.ts';
import { decodingOf, planWarmup } from '../../core/plan.ts';
import type { CampaignConfig } from '../../core/schemas/campaign-config.ts';
import type { Job } from '../../core/schemas/job.ts';
import type { Recipe } from '../../core/schemas/recipe.ts';
import { loadCatalog } from '../../infra/harness-catalog/load-catalog.ts';
import { projectRoot } from '../../workers/paths.ts';
import { type Arm, armOf, STATIC } from './arm.ts';
import { type ArmScores, readScores } from './arm-scores.ts';
import { armsReport, judgeArms, sentence } from './arms-report.ts';
import { type SeedSummary, summarizeSeed, WARM } from './arms-summary.ts';
import { quoted, seedsOf } from './seed-list.ts';
import { makeSlots, openWorkshop, type PlainResult, runJob } from './plain-job.ts';

const USAGE = `usage: node scripts/bench/arms.ts <config> <seeds> [options]
  --honest ARM    operator, or 'name: operator + /path=value'; repeatable
  --steps N       optimizer steps of an arm (the config's)
  --set KEY=VALUE of the config; repeatable
  --tasks N --samples N --canaries N   of the bench (1000, 4, 1000)
  --slots N       jobs at once (2)
  --work FOLDER   where jobs lie, and are found again (a folder of the temporary directory)
  --trainer FOLDER (trainer/)
  --out FILE      the report; its record beside it as .json (docs/results/<domain>-arms.md)
`;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    honest: { type: 'string', multiple: true, default: [] },
    steps: { type: 'string' },
    set: { type: 'string', multiple: true, default: [] },
    tasks: { type: 'string', default: '1000' },
    samples: { type: 'string', default: '4' },
    canaries: { type: 'string', default: '1000' },
    slots: { type: 'string', default: '2' },
    work: { type: 'string' },
    trainer: { type: 'string', default: join(projectRoot, 'trainer') },
    out: { type: 'string' },
  },
});
const [file, seedList] = positionals;
if (file === undefined || seedList === undefined) {
  process.stderr.write(USAGE);
  process.exit(2);
}
const steps = options.steps === undefined ? [] : [`budget.optimizer_steps=${options.steps}`];
const base = loadConfig([file], [...options.set, ...steps]);
const short = base.domain.split('.')[0] ?? base.domain;
const catalog = await loadCatalog(join(projectRoot, 'harness'));
const harness = initialHarness(catalog, base.domain, 'full');
const arms: readonly Arm[] = [
  { name: STATIC, changes: '', recipe: base.recipe },
  ...options.honest.map((text) => armOf(text, base.recipe, catalog)),
];
const names = [WARM, ...arms.map(({ name }) => name)];
if (new Set(names).size < names.length) throw new Error('name every arm differently: name: change');
const work = resolve(options.work ?? join(tmpdir(), `evotrainer-arms-${base.name}`));
const workshop = await openWorkshop(resolve(options.trainer), work);
const slot = makeSlots(Number(options.slots));

const seeds = await Promise.all(seedsOf(seedList).map(playSeed));
const out = resolve(options.out ?? join(projectRoot, 'docs', 'results', `${short}-arms.md`));
const command = ['node', 'scripts/bench/arms.ts', ...process.argv.slice(2).map(quoted)].join(' ');
const sizes = [options.tasks, options.samples, options.canaries];
const bench = { config: base, file, arms, seeds, command, sizes };
const verdicts = judgeArms(bench);
mkdirSync(dirname(out), { recursive: true });
writeFileSync(out, armsReport(bench, verdicts));
const record = { command, trainer: workshop.digest, config: base, arms, verdicts, seeds };
writeFileSync(out.replace(/(\.md)?$/, '.json'), `${JSON.stringify(record, null, 1)}\n`);
process.stdout.write(`${verdicts.map((verdict) => sentence(verdict, seeds)).join('\n')}\n${out}\n`);

async function playSeed(seed: number): Promise<SeedSummary> {
  const config: CampaignConfig = { ...base, seed };
  const run = async (name: string, plan: Parameters<typeof runJob>[3]): Promise<PlainResult> =>
    slot(async () => {
      const result = await runJob(workshop, config, join(`seed-${seed}`, name), plan);
      process.stderr.write(`seed ${seed} ${name}: ${result.seconds.toFixed(0)} s\n`);
      return result;
    });
  const warm = await run('warmup', { kind: 'warmup', spec: planWarmup(config, 1).spec });
  const start = join(warm.folder, 'policy');
  const trained = await Promise.all(
    arms.map(async ({ name, recipe }) => ({
      name,
      recipe,
      job: await run(name, {
        kind: 'train',
        features: jobFeatures(harness, recipe),
        inputs: { policy: start },
        spec: {
          recipe,
          budget: config.budget,
          checkpoint_every: config.checkpoint_every,
          diag: { tasks: 1, samples: 1 },
        },
      }),
    })),
  );
  const players = [{ name: WARM, recipe: base.recipe, job: warm }, ...trained];
  const scores = await Promise.all(
    players.map(async ({ name, recipe, job }): Promise<ArmScores> => {
      const played = await run(`bench-${name}`, benchOf(config, join(job.folder, 'policy')));
      const seconds = { trained: job.seconds, played: played.seconds };
      return readScores(name, recipe, base.recipe, played, seconds);
    }),
  );
  return summarizeSeed(seed, scores);
}

function benchOf(config: CampaignConfig, policy: string) {
  return {
    kind: 'evaluate' as const,
    features: featuresOf(arms.map(({ recipe }) => recipe)),
    inputs: { 'policies/it': policy },
    spec: {
      mode: 'bench',
      policies: ['it'],
      bench: { tasks: Number(options.tasks), samples: Number(options.samples) },
      canary: { tasks: Number(options.canaries), samples: 1 },
      decoding: decodingOf(config),
    },
  };
}

function featuresOf(recipes: readonly Recipe[]): Job['features'] {
  const all = recipes.flatMap((recipe) => jobFeatures(harness, recipe));
  return [...new Map(all.map((feature) => [feature.name, feature])).values()];
}
