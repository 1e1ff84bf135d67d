import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DiagnoseRequest, makeDiagnose } from '../../activities/diagnose.ts';
import { storeMemory } from '../../activities/shared/stored-memory.ts';
import { readJson } from '../../activities/shared/store-json.ts';
import { draft } from '../../core/drafts.ts';
import { ledgerDraftSchema } from '../../core/schemas/ledger-entry.ts';
import { healthReportSchema } from '../../core/schemas/harness.ts';
import type { HealthReport } from '../../core/schemas/harness.ts';
import type { ArtifactRef } from '../../core/schemas/artifact.ts';
import { type Bench, makeBench, SCOPE, TRAINER_DIGEST } from './bench.ts';
import {
  HONEST,
  playTasks,
  SPRAYED,
  storeSet,
  storeOptimizerMetrics,
  UNMARKED,
  WRONG,
} from './synthetic-set.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await makeBench();
});
afterAll(async () => bench.close());

const valueOf = (report: HealthReport, name: string) =>
  report.values.find((value) => value.name === name);

async function diagnose(
  artifacts: readonly string[],
  mode: 'full' | 'scalar' = 'full',
  more: {
    steps?: ArtifactRef;
    redo?: number;
    memory?: ArtifactRef;
    lost?: string[];
    control?: DiagnoseRequest['control'];
  } = {},
) {
  const set = await storeSet(bench.store, playTasks(20, artifacts));
  const diagnosis = await makeDiagnose(bench.portsOf)({
    scope: SCOPE,
    trainerDigest: TRAINER_DIGEST,
    generation: 1,
    redo: more.redo ?? 0,
    harness: await bench.harness(mode),
    evidence: {
      train: null,
      diag: set.trajectories,
      labels: set.labels,
      steps: more.steps ?? null,
    },
    memory: more.memory ?? null,
    lost: more.lost ?? [],
    control: more.control ?? null,
  });
  return {
    set,
    diagnosis,
    report: await readJson(bench.store, diagnosis.health, healthReportSchema),
  };
}

test('a policy that is paid for spraying has rewarded spraying as its bottleneck', async () => {
  const { report } = await diagnose([SPRAYED, SPRAYED, HONEST, WRONG]);
  expect(report.bottleneck).toBe('rewarded_spraying');
  expect(report.rivals.map(({ rule }) => rule)).toContain('proxy_truth_gap');
  const gap = valueOf(report, 'visible_true_gap');
  expect(gap?.value).toBeCloseTo(0.5);
  expect(gap?.level).toBe('critical');
  expect(gap?.examples).toHaveLength(5);
});

test('a category that the incumbent has lost comes before all else, by name', async () => {
  const { report } = await diagnose([SPRAYED, HONEST, WRONG], 'full', { lost: ['levels_1_2'] });
  expect(report.bottleneck).toBe('lost_category');
  const finding = report.findings.find(({ rule }) => rule === 'lost_category');
  expect(finding?.reads).toContain('levels_1_2');
  const { report: blind } = await diagnose([HONEST], 'scalar', { lost: ['levels_1_2'] });
  expect(blind.bottleneck).toBe('lost_category');
});

test('answers without a mark are a loss of format, not a hack', async () => {
  const { report } = await diagnose([UNMARKED, UNMARKED, HONEST, WRONG]);
  expect(report.bottleneck).toBe('format_loss');
});

test('what the trainer did not supply is not measurable, with the reason, and never zero', async () => {
  const { report } = await diagnose([HONEST, WRONG]);
  const kl = valueOf(report, 'kl_last');
  expect(kl).toMatchObject({ value: null, level: null });
  expect(kl?.why).toContain('no optimizer metrics');
  const regression = report.findings.find(({ rule }) => rule === 'regression');
  expect(regression).toMatchObject({ fired: null, why: 'not measurable: prev.true_mean' });
});

test('the diagnosis of a generation is stored as its ledger entry, that of a branch is none', async () => {
  const set = await storeSet(bench.store, playTasks(20, [SPRAYED, HONEST]));
  const { trajectories: diag, labels } = set;
  const request = {
    ...{
      scope: SCOPE,
      trainerDigest: TRAINER_DIGEST,
      generation: 1,
      redo: 0,
      memory: null,
      lost: [],
      control: null,
    },
    harness: await bench.harness('full'),
  };
  const diagnosed = makeDiagnose(bench.portsOf);
  const evidence = { train: diag, diag, labels, steps: null };
  const { health, entry } = await diagnosed({ ...request, evidence });
  if (entry === null) throw new Error('no entry');
  const report = await readJson(bench.store, health, healthReportSchema);
  expect(await readJson(bench.store, entry, ledgerDraftSchema)).toEqual(
    draft('diagnosed', 1, {
      health,
      bottleneck: report.bottleneck,
      rivals: report.rivals,
      evidence: [diag, diag, labels],
    }),
  );
  expect(await diagnosed({ ...request, evidence: { ...evidence, train: null } })).toMatchObject({
    entry: null,
  });
});

test('a branch is read beside the control of its generation, and beside nothing else', async () => {
  const control = await diagnose([HONEST, HONEST, WRONG]);
  const beside = { health: control.diagnosis.health, diag: control.set.trajectories };
  const { report } = await diagnose([HONEST, WRONG, WRONG], 'full', { control: beside });
  const regression = report.findings.find(({ rule }) => rule === 'regression');
  expect(regression).toMatchObject({ fired: true });
  expect(control.report.findings.find(({ rule }) => rule === 'regression')?.fired).toBeNull();
});

test('rules compare with the decided generation that memory holds', async () => {
  const { diagnosis, set } = await diagnose([HONEST, HONEST, WRONG]);
  const evidence = { train: set.trajectories, diag: set.trajectories, labels: set.labels };
  const { health } = diagnosis;
  const past = {
    generation: 1,
    evidence,
    health,
    bottleneck: null,
    optimizerMetrics: null,
    branches: [],
  };
  const memory = await storeMemory(bench.store, { past: [past], skills: [], forecasts: [] });
  const { report } = await diagnose([HONEST, WRONG, WRONG], 'full', { memory });
  expect(report.findings.find(({ rule }) => rule === 'regression')?.fired).toBe(true);
});

test('optimizer metrics of the training that made the policy are read where there are some', async () => {
  const { report } = await diagnose([HONEST, WRONG], 'full', {
    steps: await storeOptimizerMetrics(bench.store, 20),
  });
  expect(valueOf(report, 'kl_last')?.value).toBeCloseTo(0.019);
  expect(valueOf(report, 'grad_norm_ratio')?.level).toBe('ok');
});

test('the scalar harness sees a plateau where the full one sees a hack', async () => {
  const { report } = await diagnose([SPRAYED, HONEST, WRONG], 'scalar');
  expect(report.bottleneck).toBe('plateau');
  expect(report.values).toHaveLength(3);
});

test('the same request is answered from its manifest', async () => {
  const first = await diagnose([HONEST, SPRAYED]);
  const manifests = await bench.store.listManifests('steps/');
  const second = await diagnose([HONEST, SPRAYED]);
  expect(second.diagnosis).toEqual(first.diagnosis);
  expect(await bench.store.listManifests('steps/')).toEqual(manifests);
});
