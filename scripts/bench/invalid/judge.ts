// What a campaign would say of a group's arms, over the tables that plain jobs wrote: health beside the control, the screen
// of the gate, and the decision.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readHealth } from '../../../activities/reading/read-health.ts';
import { runDetectors } from '../../../activities/revising/run-detectors.ts';
import { readSealedRows } from '../../../activities/shared/sealed-rows.ts';
import { storeJson } from '../../../activities/shared/store-json.ts';
import { visibleTrueGap } from '../../../core/gate/integrity.ts';
import { INCUMBENT, tasksOf } from '../../../core/gate/rows.ts';
import { decideScreen, type ScreenedBranch } from '../../../core/gate/verdict.ts';
import { screenPlan } from '../../../core/plan.ts';
import type { ArtifactRef } from '../../../core/schemas/artifact.ts';
import type { CampaignConfig } from '../../../core/schemas/campaign-config.ts';
import type { Harness, HealthReport } from '../../../core/schemas/harness.ts';
import { DuckDbAnalytics } from '../../../infra/analytics/duckdb/duckdb-analytics.ts';
import { MemoryStore } from '../../../infra/store/memory/memory-store.ts';
import type { PlainResult } from '../plain-job.ts';

export interface PlayedArm {
  /** b0 is the control. */
  readonly branch: string;
  readonly job: PlainResult;
}

export interface Judgement {
  /** By branch, and the incumbent's. */
  readonly health: Readonly<Record<string, HealthReport>>;
  readonly screened: readonly ScreenedBranch[];
  readonly challenger: string | null;
}

export interface PlayedGroup {
  readonly config: CampaignConfig;
  readonly harness: Harness;
  readonly rollout: PlainResult;
  readonly labelled: PlainResult;
  /** In order; with none nothing is screened. */
  readonly arms: readonly PlayedArm[];
  readonly select: PlainResult | null;
}

interface Tables {
  readonly open: MemoryStore;
  readonly sealed: MemoryStore;
  readonly analytics: DuckDbAnalytics;
}

/** Reads the jobs' folders; leaves a cache beside them and nothing else. */
export async function judgeGroup(group: PlayedGroup): Promise<Judgement> {
  const [open, sealed] = [new MemoryStore('open'), new MemoryStore('sealed')];
  const cache = join(group.rollout.folder, 'cache');
  const tables = { open, sealed, analytics: new DuckDbAnalytics({ open, sealed }, cache) };
  try {
    const { health, diags } = await diagnose(tables, group);
    if (group.select === null) return { health, screened: [], challenger: null };
    return { health, ...(await screen(tables, group, group.select, diags)) };
  } finally {
    await tables.analytics.close();
  }
}

const stored = async (store: MemoryStore, { folder }: PlainResult, path: string) =>
  store.putBytes(await readFile(join(folder, path)));

/** Health of the incumbent, and of every arm: the first by itself, the others beside it. */
async function diagnose(
  { open, analytics }: Tables,
  { harness, rollout, labelled, arms, select }: PlayedGroup,
) {
  const read = async (
    sets: Parameters<typeof readHealth>[1]['sets'],
    control: HealthReport | null,
  ): Promise<HealthReport> =>
    readHealth(analytics, {
      harness,
      generation: 1,
      sets,
      previous: control === null ? [] : [control],
      lost: [],
    });
  const diag = await stored(open, rollout, 'trajectories/diag.parquet');
  const train = await stored(open, rollout, 'trajectories/train.parquet');
  const labels = await stored(open, labelled, 'labels/incumbent.parquet');
  const own = { trajectories: [train, diag], labels, steps: null, previous: null };
  const health: Record<string, HealthReport> = { [INCUMBENT]: await read(own, null) };
  const diags: Record<string, ArtifactRef> = { [INCUMBENT]: diag };
  if (select === null) return { health, diags };
  let control: { readonly report: HealthReport; readonly set: ArtifactRef } | null = null;
  for (const { branch, job } of arms) {
    const set = await stored(open, job, 'diag.parquet');
    const sets = {
      trajectories: [set],
      labels: await stored(open, select, `labels/${branch}.parquet`),
      steps: await stored(open, job, 'metrics.jsonl'),
      previous: control === null ? null : [control.set],
    };
    const report = await read(sets, control?.report ?? null);
    control ??= { report, set };
    health[branch] = report;
    diags[branch] = set;
  }
  return { health, diags };
}

async function screen(
  { open, sealed, analytics }: Tables,
  { config, harness, arms }: PlayedGroup,
  select: PlainResult,
  diags: Readonly<Record<string, ArtifactRef>>,
): Promise<Pick<Judgement, 'screened' | 'challenger'>> {
  const detectors = await runDetectors(
    { stores: { open, sealed }, analytics },
    { harness: await storeJson(open, harness), sets: diags },
  );
  const rows = await readSealedRows(analytics, [
    await stored(sealed, select, 'sealed/select.parquet'),
    await stored(sealed, select, 'sealed/canary.parquet'),
  ]);
  const selectRows = rows.filter(({ stream }) => stream === 'select');
  const identity = { epoch: 'epoch', recipeSha256: 'recipe' };
  const { branches, challenger } = decideScreen({
    domain: config.domain,
    plan: screenPlan(config),
    incumbent: { ...identity, policySha256: INCUMBENT },
    branches: arms.map(({ branch }) => ({
      branch,
      failure: null,
      ...identity,
      policySha256: branch,
    })),
    selectRows,
    canaryRows: rows.filter(({ stream }) => stream === 'canary'),
    warmStartGap: visibleTrueGap(tasksOf(selectRows, INCUMBENT)),
    detectors,
  });
  return { screened: branches, challenger };
}
