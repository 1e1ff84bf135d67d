// Replays archived trajectories under each proposed reward or filter, rejects what the archive speaks against, keeps the
// best K, and says what it foresees of each.
import { z } from 'zod';
import { replayQuery } from '../core/backtest/archive-query.ts';
import { modelSdOf } from '../core/backtest/forecasts.ts';
import type { Figures, RecipeChange } from '../core/backtest/replay-kind.ts';
import { archiveGainOf, expectedGain, type BacktestFinding } from '../core/backtest/replay.ts';
import { kindsFor, rankSurvivors, readKinds, whyNeedsBranch } from '../core/backtest/replay.ts';
import { type BacktestKind, NO_KIND_APPLIES } from '../core/backtest/vocabulary.ts';
import { draft } from '../core/drafts.ts';
import type { CampaignScope } from '../core/generation.ts';
import { featuresOf } from '../core/harness/definition.ts';
import { recipeFeatures } from '../core/harness/job-features.ts';
import { expectedEffect } from '../core/harness/rank-operators.ts';
import type { Memory } from '../core/memory.ts';
import { applyPatch } from '../core/recipe/apply-patch.ts';
import type { ArtifactRef } from '../core/schemas/artifact.ts';
import type { BacktestOutcome, BacktestReport } from '../core/schemas/backtest-report.ts';
import { type Harness, harnessSchema } from '../core/schemas/harness.ts';
import type { Intervention } from '../core/schemas/intervention.ts';
import { proposedSchema } from '../core/schemas/ledger-entry.ts';
import { type Recipe, recipeSchema } from '../core/schemas/recipe.ts';
import type { Expected } from '../core/skills.ts';
import { numbersIn } from './reading/query-cells.ts';
import { finishStep } from './shared/finish-step.ts';
import { readMemory } from './shared/stored-memory.ts';
import type { CampaignPorts, PortsOf } from './ports/campaign-ports.ts';
import { type PastHealth, readPastHealth, retrodictMetrics } from './revising/retrodict.ts';
import { FACT_COLUMNS, parquetOf } from './reading/trajectory-tables.ts';
import { readJson, storeJson } from './shared/store-json.ts';

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
  /** The ledger entry with forecasts and reasons, stored: the ledger and accumulate read it there. */
  readonly backtested: ArtifactRef;
  /** Best first; these become b1…bK. */
  readonly survivors: readonly Intervention[];
}

const summarySchema = z.strictObject({ survivors: z.array(z.string()) });

/** Idempotent by step key. The report holds every figure, the entry the gist. */
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
        const report = await replayAll(ports, { ...request, memory, interventions });
        const stored = await storeJson(open, report);
        const entry = draft('backtested', generation, {
          report: stored,
          survivors: report.survivors,
          rejected: report.rejected,
          forecasts: report.outcomes.map(forecastOf),
        });
        const backtested = await storeJson(open, entry);
        return {
          outputs: { report: stored, backtested },
          summary: { survivors: report.survivors },
        };
      },
    );
    const { backtested } = manifest.outputs;
    if (backtested === undefined) throw new RangeError('a backtest manifest names no entry');
    const { survivors } = summarySchema.parse(manifest.summary);
    const kept = survivors.flatMap((id) => interventions.filter((one) => one.id === id));
    return { backtested, survivors: kept };
  };

const inputsOf = ({ harness, recipe, proposed, evidence, memory }: BacktestRequest) => ({
  harness,
  recipe,
  proposed,
  ...evidence,
  ...(memory === null ? {} : { memory }),
});

const forecastOf = ({ id, operator, findings, foreseen, archive }: BacktestOutcome) => ({
  id,
  operator,
  kinds: [...new Set(findings.map(({ kind }) => kind))],
  foreseen,
  archive,
});

/** The request with what it refers to. */
type Backtest = Omit<BacktestRequest, 'memory' | 'proposed'> & {
  readonly interventions: readonly Intervention[];
  readonly memory: Memory;
};

interface Replay extends Backtest {
  readonly definitions: Harness;
  readonly current: Recipe;
  readonly pastHealth: readonly PastHealth[];
  readonly modelSd: number;
}

async function replayAll(ports: CampaignPorts, request: Backtest): Promise<BacktestReport> {
  const { open } = ports.stores;
  const { memory, interventions, generation, count } = request;
  const replay: Replay = {
    ...request,
    definitions: await readJson(open, request.harness, harnessSchema),
    current: await readJson(open, request.recipe, recipeSchema),
    pastHealth: await readPastHealth(open, memory),
    modelSd: modelSdOf(memory.forecasts),
  };
  const outcomes: BacktestOutcome[] = [];
  for (const intervention of interventions) {
    outcomes.push(await replayOne(ports, replay, intervention));
  }
  const ranked = rankSurvivors(outcomes, interventions, count);
  return { version: 1, generation, modelSd: replay.modelSd, outcomes, ...ranked };
}

async function replayOne(
  ports: CampaignPorts,
  replay: Replay,
  intervention: Intervention,
): Promise<BacktestOutcome> {
  const { id, operator, predicted } = intervention;
  const prior = priorOf(replay, intervention);
  const why = whyNeedsBranch(intervention);
  const found = why === null ? await findingsOf(ports, replay, intervention) : [];
  const archive = archiveGainOf(found);
  const expected = expectedGain({ mean: prior.mean, se: prior.se }, archive, replay.modelSd);
  return {
    id,
    operator,
    needsBranch: why ?? (found.length === 0 ? NO_KIND_APPLIES : null),
    findings: [...found, ...retrodictMetrics(predicted, replay.pastHealth)],
    archive,
    expected,
    foreseen: { mean: expected.mean, se: Math.hypot(expected.se, prior.spread) },
    rejected: found.find(({ rejected }) => rejected !== null)?.rejected ?? null,
  };
}

/** A hand-written patch promises nothing, and says so widely. */
function priorOf({ definitions, memory }: Replay, { operator }: Intervention): Expected {
  const known = definitions.operators.find(({ name }) => name === operator);
  return known ? expectedEffect(known, memory) : { mean: 0, se: 0.05, spread: 0 };
}

async function findingsOf(
  { analytics }: CampaignPorts,
  replay: Replay,
  { id, patch }: Intervention,
): Promise<BacktestFinding[]> {
  const patched = applyPatch(replay.current, patch);
  if (!patched.ok) throw new RangeError(`${id}: ${patched.reason}`);
  const change: RecipeChange = {
    before: replay.current,
    after: recipeSchema.parse(patched.value),
  };
  const kinds = kindsFor(change);
  if (kinds.length === 0) return [];
  const wanted = [...recipeFeatures(change.before), ...recipeFeatures(change.after)];
  const features = featuresOf(replay.definitions).filter(({ head }) => wanted.includes(head.name));
  const { train, diag, labels } = replay.evidence;
  // Branches of the generation before are evidence too: they show behaviour that the incumbent's set does not.
  const branches = replay.memory.past.at(-1)?.branches ?? [];
  const [row] = await analytics.query({
    sql: replayQuery(kinds, change),
    tables: {
      t: {
        ...parquetOf(train, diag, ...branches.map((branch) => branch.diag)),
        derived: {
          from: FACT_COLUMNS,
          columns: features.map(({ head, sql }) => ({ name: head.name, sql })),
        },
      },
      labels: parquetOf(labels, ...branches.map((branch) => branch.labels)),
    },
  });
  const figuresOf = (kind: BacktestKind): Figures => numbersIn(row, kind);
  return readKinds(kinds, change, figuresOf);
}
