// The five branches that a score-only loop accepts or misreads: does ours refuse each, and for the right reason?
// node scripts/bench/invalid-branches.ts <seeds, as in 1-3> [--group NAME]… [--set KEY=VALUE]… [--work DIR] [--out FILE]
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { loadConfig } from '../../cli/load-config.ts';
import { INCUMBENT } from '../../core/gate/rows.ts';
import { initialHarness } from '../../core/harness/initial-harness.ts';
import { jobFeatures } from '../../core/harness/job-features.ts';
import { patchOf } from '../../core/harness/patch-of.ts';
import { rankOperators } from '../../core/harness/rank-operators.ts';
import { emptyMemory } from '../../core/memory.ts';
import { planWarmup, selectSpec } from '../../core/plan.ts';
import type { CampaignConfig } from '../../core/schemas/campaign-config.ts';
import type { Harness, HealthReport } from '../../core/schemas/harness.ts';
import type { Recipe } from '../../core/schemas/recipe.ts';
import { loadCatalog } from '../../infra/harness-catalog/load-catalog.ts';
import { projectRoot } from '../../workers/paths.ts';
import { armOf } from './arm.ts';
import { type Group, GROUPS } from './invalid/cases.ts';
import { judgeGroup, type PlayedArm } from './invalid/judge.ts';
import { type CaseResult, invalidReport } from './invalid/report.ts';
import { openWorkshop, type PlainJob, type PlainResult, runJob } from './plain-job.ts';
import { quoted, seedsOf } from './seed-list.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    group: { type: 'string', multiple: true, default: GROUPS.map(({ name }) => name) },
    set: { type: 'string', multiple: true, default: [] },
    work: { type: 'string', default: join(tmpdir(), 'evotrainer-invalid') },
    out: { type: 'string', default: join(projectRoot, 'docs', 'results', 'invalid-branches.md') },
  },
});
const [seedList = '1'] = positionals;
const catalog = await loadCatalog(join(projectRoot, 'harness'));
const workshop = await openWorkshop(join(projectRoot, 'trainer'), resolve(options.work));
const results: CaseResult[] = [];
for (const seed of seedsOf(seedList)) {
  for (const group of GROUPS.filter(({ name }) => options.group.includes(name))) {
    results.push(...(await playGroup(group, seed)));
  }
}
const command = ['node', 'scripts/bench/invalid-branches.ts', ...process.argv.slice(2).map(quoted)];
mkdirSync(dirname(options.out), { recursive: true });
writeFileSync(options.out, invalidReport(results, command.join(' ')));
process.stdout.write(readFileSync(options.out, 'utf8'));

async function playGroup(group: Group, seed: number): Promise<CaseResult[]> {
  const sets = [...group.sets, ...options.set, `seed=${seed}`];
  const config = loadConfig([join(projectRoot, group.config)], sets);
  const harness = initialHarness(catalog, config.domain, 'full');
  const { recipe } = armOf(group.recipe, config.recipe, catalog);
  const played = { config, harness, ...(await playJobs(group, { config, harness, recipe })) };
  const judged = await judgeGroup(played);
  const ofIncumbent = judged.health[INCUMBENT];
  const cases = group.arms.flatMap(({ name, cause, isAttractive }, index): CaseResult[] => {
    if (cause === null) return [];
    const branch = `b${index}`;
    const job = played.arms[index]?.job;
    const report = judged.health[branch];
    if (job === undefined || report === undefined) throw new Error(`${name} was not played`);
    return [
      {
        ...{ seed, name, expected: cause, isAttractive, next: null },
        ...causeOf(report),
        reward: rewardsOf(job.folder),
        screened: judged.screened.find((one) => one.branch === branch) ?? null,
        isChallenger: judged.challenger === branch,
      },
    ];
  });
  if (group.incumbentCause === null || ofIncumbent === undefined) return cases;
  const ranked = rankOperators(harness.operators, ofIncumbent, config.domain, emptyMemory);
  const next = ranked.filter(({ operator }) => 'patch' in patchOf(operator, recipe));
  return [
    ...cases,
    {
      ...{ seed, name: 'format_gate', expected: group.incumbentCause, isAttractive: false },
      ...causeOf(ofIncumbent),
      ...{ reward: null, screened: null, isChallenger: false },
      next: next.map(({ operator }) => ({ name: operator.name, kind: operator.kind })),
    },
  ];
}

function causeOf({ bottleneck, rivals }: HealthReport) {
  return { bottleneck, rivals: rivals.map(({ rule }) => rule) };
}

interface Base {
  readonly config: CampaignConfig;
  readonly harness: Harness;
  readonly recipe: Recipe;
}

/** Every job of a group, one after another. */
async function playJobs(group: Group, { config, harness, recipe }: Base) {
  const { seed, budget, checkpoint_every } = config;
  const run = async (name: string, plan: PlainJob): Promise<PlainResult> => {
    const result = await runJob(workshop, config, join(group.name, `seed-${seed}`, name), plan);
    process.stderr.write(`${group.name} ${seed} ${name}: ${result.seconds.toFixed(0)} s\n`);
    return result;
  };
  const { diag_tasks, train_tasks, samples } = config.rollout;
  const diag = { tasks: diag_tasks, samples };
  const warm = await run('warmup', { kind: 'warmup', spec: planWarmup(config, 1).spec });
  const policy = join(warm.folder, 'policy');
  const rollout = await run('rollout', {
    kind: 'rollout',
    features: jobFeatures(harness, recipe),
    inputs: { policy },
    spec: { recipe, train: { tasks: train_tasks, samples }, diag },
  });
  const set = join(rollout.folder, 'trajectories', 'diag.parquet');
  const labelled = await run('label', {
    kind: 'evaluate',
    inputs: { 'trajectories/incumbent.parquet': set },
    spec: { mode: 'label', sets: ['incumbent'] },
  });
  const arms: PlayedArm[] = [];
  for (const [index, { changes }] of group.arms.entries()) {
    const own = changes === null ? recipe : armOf(changes, recipe, catalog).recipe;
    const branch = `b${index}`;
    const job = await run(branch, {
      kind: 'train',
      features: jobFeatures(harness, own),
      inputs: { policy },
      spec: { recipe: own, budget, checkpoint_every, diag },
    });
    arms.push({ branch, job });
  }
  const select = arms.length === 0 ? null : await run('select', selectOf(config, policy, arms));
  return { rollout, labelled, arms, select };
}

function selectOf(config: CampaignConfig, policy: string, arms: readonly PlayedArm[]) {
  const names = arms.map(({ branch }) => branch);
  return {
    kind: 'evaluate' as const,
    inputs: {
      [`policies/${INCUMBENT}`]: policy,
      ...Object.fromEntries(
        arms.flatMap(({ branch, job }) => [
          [`policies/${branch}`, join(job.folder, 'policy')],
          [`trajectories/${branch}.parquet`, join(job.folder, 'diag.parquet')],
        ]),
      ),
    },
    spec: selectSpec(config, names, [INCUMBENT, ...names]),
  };
}

/** Mean training reward of the first and the last ten optimizer steps. */
function rewardsOf(folder: string): { readonly first: number; readonly last: number } {
  const lines = readFileSync(join(folder, 'metrics.jsonl'), 'utf8').trim().split('\n');
  const rewards = lines.map(
    (line) => z.object({ reward_mean: z.number() }).parse(JSON.parse(line)).reward_mean,
  );
  const mean = (part: readonly number[]): number =>
    part.reduce((sum, value) => sum + value, 0) / part.length;
  return { first: mean(rewards.slice(0, 10)), last: mean(rewards.slice(-10)) };
}
