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
import type { Memory } from '../core/memory.ts';
import { applyPatch } from '../core/recipe/apply-patch.ts';
import type { ArtifactRef } from '../core/schemas/artifact.ts';
import { type Harness, harnessSchema } from '../core/schemas/harness.ts';
import type { Intervention } from '../core/schemas/intervention.ts';
import { proposedSchema } from '../core/schemas/ledger-entry.ts';
import { type Recipe, recipeSchema } from '../core/schemas/recipe.ts';
import { z } from 'zod';
import { numberAt } from './cells.ts';
import { finishStep } from './finish-step.ts';
import { readMemory } from './memory.ts';
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
  /** What propose stored. */
  readonly proposed: ArtifactRef;
  readonly evidence: {
    readonly train: ArtifactRef;
    readonly diag: ArtifactRef;
    readonly labels: ArtifactRef;
  };
  readonly memory: ArtifactRef | null;
  /** K: how many survive. */
  readonly count: number;
}

export interface Backtested {
  readonly report: ArtifactRef;
  /** Best first; these become b1…bK. */
  readonly survivors: readonly Intervention[];
  readonly rejected: { id: string; why: string }[];
}

const summarySchema = z.strictObject({
  survivors: z.array(z.string()),
  rejected: z.array(z.strictObject({ id: z.string(), why: z.string() })),
});

/** Idempotent by step key. The report holds every figure; what returns are the survivors and reasons. */
export const makeBacktest =
  (portsOf: PortsOf) =>
  async (request: BacktestRequest): Promise<Backtested> => {
    const ports = portsOf(request.scope);
    const { open } = ports.stores;
    const { generation, count } = request;
    const { interventions } = (await readJson(open, request.proposed, proposedSchema)).body;
    const manifest = await finishStep(
      open,
      {
        step: 'backtest',
        spec: { generation, count },
        inputs: inputsOf(request),
        trainerDigest: request.trainerDigest,
        redo: request.redo,
      },
      async () => {
        const memory = await readMemory(open, request.memory);
        const outcomes = await backtestAll(ports, { ...request, memory, interventions });
        const ranked = rankSurvivors(outcomes, interventions, count);
        const report = { version: 1, generation, control: CONTROL, outcomes, ...ranked };
        return {
          outputs: { report: await storeJson(open, report) },
          summary: ranked,
        };
      },
    );
    const report = manifest.outputs['report'];
    if (report === undefined) throw new RangeError('a backtest manifest names no report');
    const { survivors, rejected } = summarySchema.parse(manifest.summary);
    const kept = survivors.flatMap((id) => interventions.filter((one) => one.id === id));
    return { report, survivors: kept, rejected };
  };

const inputsOf = ({ harness, recipe, proposed, evidence, memory }: BacktestRequest) => ({
  harness,
  recipe,
  proposed,
  ...evidence,
  ...(memory === null ? {} : { memory }),
});

/** The request with what it refers to. */
type Backtest = Omit<BacktestRequest, 'memory' | 'proposed'> & {
  readonly interventions: readonly Intervention[];
  readonly memory: Memory;
};

async function backtestAll(
  { stores, analytics }: CampaignPorts,
  request: Backtest,
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
function priorOf(harness: Harness, { operator }: Intervention, request: Backtest) {
  const known = harness.operators.find(({ name }) => name === operator);
  return known ? expectedEffect(known, request.memory) : { mean: 0, se: 0.05 };
}

async function rescorePatched(
  analytics: Analytics,
  request: Backtest,
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
  request: Backtest,
  harness: Harness,
  recipe: Recipe,
): Promise<Rescored> {
  const { train, diag, labels } = request.evidence;
  // Branches of the generation before are evidence too: they show behaviour that the incumbent's set does not.
  const branches = request.memory.past.at(-1)?.branches ?? [];
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
