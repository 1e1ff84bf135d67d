// Replays archived trajectories under each proposed reward or filter, rejects what kills the signal, keeps the best K.
import {
  type BacktestOutcome,
  expectedGain,
  isBacktestable,
  rankSurvivors,
  rejectionOf,
  type Rescored,
  rescoringQuery,
} from '../core/backtest.ts';
import { CONTROL } from '../core/ids.ts';
import type { CampaignScope } from '../core/generation.ts';
import { featuresOf } from '../core/harness/definition.ts';
import { recipeFeatures } from '../core/harness/job-features.ts';
import { expectedEffect } from '../core/harness/rank-operators.ts';
import { withSets } from '../core/harness/set-query.ts';
import { applyPatch } from '../core/recipe/apply-patch.ts';
import type { ArtifactRef } from '../core/schemas/artifact.ts';
import { type Harness, harnessSchema } from '../core/schemas/harness.ts';
import type { Intervention } from '../core/schemas/intervention.ts';
import type { PastGeneration, Skill } from '../core/schemas/ledger-entry.ts';
import { type Recipe, recipeSchema } from '../core/schemas/recipe.ts';
import { z } from 'zod';
import { numberAt } from './cells.ts';
import { finishStep } from './finish-step.ts';
import type { Analytics, Row } from './ports/analytics.ts';
import type { CampaignPorts, PortsOf } from './ports/campaign-ports.ts';
import { FACT_COLUMNS, parquetOf } from './sets.ts';
import { readJson, storeJson } from './store-json.ts';

export interface BacktestRequest {
  readonly scope: CampaignScope;
  readonly trainerDigest: string;
  readonly generation: number;
  readonly redo: number;
  readonly harness: ArtifactRef;
  readonly recipe: ArtifactRef;
  readonly interventions: readonly Intervention[];
  readonly evidence: {
    readonly train: ArtifactRef;
    readonly diag: ArtifactRef;
    readonly labels: ArtifactRef;
  };
  readonly past: readonly PastGeneration[];
  readonly skills?: readonly Skill[];
  /** K: how many survive. */
  readonly count: number;
}

export interface Backtested {
  readonly report: ArtifactRef;
  /** Ids, best first; these become b1…bK. */
  readonly survivors: string[];
  readonly rejected: { id: string; why: string }[];
}

const summarySchema = z.strictObject({
  survivors: z.array(z.string()),
  rejected: z.array(z.strictObject({ id: z.string(), why: z.string() })),
});

/** Idempotent by step key. The report holds every figure; what returns are ids and reasons. */
export const makeBacktest =
  (portsOf: PortsOf) =>
  async (request: BacktestRequest): Promise<Backtested> => {
    const ports = portsOf(request.scope);
    const { generation, interventions, past, count, skills = [] } = request;
    const manifest = await finishStep(
      ports.stores.open,
      {
        step: 'backtest',
        spec: { generation, interventions, past, count, skills },
        inputs: inputsOf(request),
        trainerDigest: request.trainerDigest,
        redo: request.redo,
      },
      async () => {
        const outcomes = await backtestAll(ports, request);
        const ranked = rankSurvivors(outcomes, interventions, count);
        const report = { version: 1, generation, control: CONTROL, outcomes, ...ranked };
        return {
          outputs: { report: await storeJson(ports.stores.open, report) },
          summary: ranked,
        };
      },
    );
    const report = manifest.outputs['report'];
    if (report === undefined) throw new RangeError('a backtest manifest names no report');
    return { report, ...summarySchema.parse(manifest.summary) };
  };

/** Branches of earlier generations are evidence too: they show behaviour that the incumbent's set does not. */
const inputsOf = ({ harness, recipe, evidence, past }: BacktestRequest) => ({
  harness,
  recipe,
  train: evidence.train,
  diag: evidence.diag,
  labels: evidence.labels,
  ...Object.fromEntries(
    (past.at(-1)?.branches ?? []).flatMap(({ branch, diag, labels }) => [
      [`past/${branch}`, diag],
      [`past/${branch}/labels`, labels],
    ]),
  ),
});

async function backtestAll(
  { stores, analytics }: CampaignPorts,
  request: BacktestRequest,
): Promise<BacktestOutcome[]> {
  const harness = await readJson(stores.open, request.harness, harnessSchema);
  const recipe = await readJson(stores.open, request.recipe, recipeSchema);
  const isNeeded = request.interventions.some(isBacktestable);
  const before = isNeeded ? await rescore(analytics, request, harness, recipe) : null;
  const outcomes: BacktestOutcome[] = [];
  for (const intervention of request.interventions) {
    const after = await rescorePatched(analytics, request, harness, { recipe, intervention });
    const prior = priorOf(harness, intervention, request);
    outcomes.push({
      id: intervention.id,
      before: after && before,
      after,
      expected: expectedGain(prior, before, after),
      rejected: before === null || after === null ? null : rejectionOf(before, after),
    });
  }
  return outcomes;
}

/** A hand-written patch promises nothing, and says so widely. */
function priorOf(harness: Harness, { operator }: Intervention, request: BacktestRequest) {
  const known = harness.operators.find(({ name }) => name === operator);
  const { past, skills = [] } = request;
  return known ? expectedEffect(known, { past, skills }) : { mean: 0, se: 0.05 };
}

async function rescorePatched(
  analytics: Analytics,
  request: BacktestRequest,
  harness: Harness,
  { recipe, intervention }: { readonly recipe: Recipe; readonly intervention: Intervention },
): Promise<Rescored | null> {
  if (!isBacktestable(intervention)) return null;
  const patched = applyPatch(recipe, intervention.patch);
  if (!patched.ok) throw new RangeError(`${intervention.id}: ${patched.reason}`);
  return rescore(analytics, request, harness, recipeSchema.parse(patched.value));
}

async function rescore(
  analytics: Analytics,
  request: BacktestRequest,
  harness: Harness,
  recipe: Recipe,
): Promise<Rescored> {
  const { train, diag, labels } = request.evidence;
  const branches = request.past.at(-1)?.branches ?? [];
  const wanted = recipeFeatures(recipe);
  const features = featuresOf(harness).filter(({ head }) => wanted.includes(head.name));
  const [row] = await analytics.query({
    sql: rescoringQuery(withSets(['t'], features, FACT_COLUMNS), recipe, true),
    tables: {
      t_rows: parquetOf(train, diag, ...branches.map((branch) => branch.diag)),
      labels: parquetOf(labels, ...branches.map((branch) => branch.labels)),
    },
  });
  return toRescored(row ?? {});
}

function toRescored(row: Row): Rescored {
  const number = (name: string): number | null => numberAt(row, name);
  return {
    groups: number('groups') ?? 0,
    zeroVarianceShare: number('zero_variance_share') ?? 1,
    keptShare: number('kept_share') ?? 0,
    rewardMean: number('reward_mean'),
    orderViolations: number('order_violations'),
    bestInvalidShare: number('best_invalid_share'),
    bestOracleMean: number('best_oracle_mean'),
    bestOracleSe: number('best_oracle_se'),
  };
}
