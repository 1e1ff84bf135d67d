// Decides whether the recipe of a promoted branch is adopted. The first decision on a test counts, whoever asks and
// whatever a later attempt trains.
import { canonicalJson } from '../core/canonical-json.ts';
import { draft } from '../core/drafts.ts';
import { judgeRecipe, type RecipeDecision, type RecipeInput } from '../core/gate/recipe.ts';
import {
  type BranchOutcome,
  type Challenger,
  isTrained,
  type RecipeVerdict,
  type TrainedBranch,
} from '../core/generation.ts';
import { gateResult, screenResults } from '../core/plan.ts';
import { recipePlan } from '../core/plan-recipe.ts';
import { pairsOf, replicateOf, selectEffect, withReplicates } from '../core/replicates.ts';
import type { RegisteredAdoption } from '../core/schemas/adoption.ts';
import type { ArtifactRef } from '../core/schemas/artifact.ts';
import type { GenerationContext } from '../core/schemas/generation-context.ts';
import type { LedgerDraft, Replicate } from '../core/schemas/ledger-entry.ts';
import type { SealedResult } from '../core/schemas/trajectory.ts';
import type { ScreenedBranch } from '../core/gate/verdict.ts';
import type { CampaignPorts, PortsOf } from './ports/campaign-ports.ts';
import { readAdoptions, recordAdoption } from './shared/adoptions.ts';
import { sha256Hex } from './shared/digest.ts';
import { findAncestors } from './shared/read-ancestors.ts';
import { screenReplicates, type TrainedReplicate } from './shared/screen-replicates.ts';
import { sealFigures } from './shared/sealed-figures.ts';
import { readSealedRows } from './shared/sealed-rows.ts';
import { openStep, type StepRequest } from './shared/step-request.ts';

export interface AdoptRequest extends StepRequest {
  readonly challenger: Challenger;
  readonly control: TrainedBranch;
  /** The screen's verdicts; b0 and the challenger are among them. */
  readonly screened: readonly Pick<ScreenedBranch, 'branch' | 'verdict' | 'guard'>[];
  /** Outputs of `evaluate.select`. */
  readonly select: Readonly<Record<string, ArtifactRef>>;
  /** Outputs of `evaluate.recipe`, of the branch and of its replicates. */
  readonly played: readonly Readonly<Record<string, ArtifactRef>>[];
  /** Further trainings; null if none were asked for. */
  readonly replicates: {
    readonly outcomes: readonly BranchOutcome[];
    /** Outputs of `evaluate.replicates`; empty if none trained. */
    readonly select: Readonly<Record<string, ArtifactRef>>;
  } | null;
  readonly harness: ArtifactRef;
  /** The incumbent's DIAG set. */
  readonly diag: ArtifactRef;
}

export interface Adoption {
  /** Null: replicates are to be trained. */
  readonly recipe: RecipeVerdict | null;
  readonly entry: LedgerDraft | null;
}

export const makeAdopt =
  (portsOf: PortsOf) =>
  async (request: AdoptRequest): Promise<Adoption> => {
    const { ports, context } = await openStep(portsOf, request);
    const { test, branch } = request.challenger;
    const look = request.replicates === null ? 0 : 1;
    const { sealed } = ports.stores;
    const family = await readAdoptions(sealed, context.epoch.family);
    const known = family.find((one) => one.test === test && one.look === look);
    const record =
      known ?? (await recordAdoption(sealed, await decide(ports, context, request, family)));
    const { verdict, why, replicates, results, screened, figures, effect } = record;
    if (verdict === 'train-more') return { recipe: null, entry: null };
    const adopted = verdict === 'adopt';
    return {
      recipe: { branch, adopted, why, effect },
      entry: {
        ...draft('recipe-decided', context.generation, {
          test,
          branch,
          adopted,
          why,
          seeds: record.fresh?.seeds ?? 0,
          replicates,
          results,
          screened,
          figures,
        }),
        by: 'gate',
      },
    };
  };

async function decide(
  ports: CampaignPorts,
  context: GenerationContext,
  request: AdoptRequest,
  family: readonly RegisteredAdoption[],
): Promise<RegisteredAdoption> {
  const { challenger, control, screened: branches, played } = request;
  const { config, epoch, incumbent } = context;
  const { sealedAnalytics } = ports;
  const { replicates, rows: selectRows, refs } = await screened(ports, context, request);
  const results = played.map((outputs) => gateResult(outputs, 'block'));
  const rows = await readSealedRows(sealedAnalytics, results);
  const change = changeOf(incumbent.recipe, challenger.candidate.recipe);
  const input: RecipeInput = {
    test: challenger.test,
    plan: recipePlan(config),
    seeds: pairsOf({
      challenger,
      control,
      screened: branches,
      replicates,
      rows,
      epoch: epoch.digest,
    }),
    rows,
    branches: branches.filter(({ guard }) => guard !== 'failed-job').length,
    mayTrainMore: request.replicates === null && config.replicates.max > 1,
    ...knownBefore(family, challenger.test, change, config.name),
  };
  const { verdict, why, adoption, fresh } = judgeRecipe(input);
  return {
    version: 1,
    family: epoch.family,
    test: challenger.test,
    look: request.replicates === null ? 0 : 1,
    campaign: config.name,
    change,
    verdict,
    why,
    replicates: [...replicates],
    results,
    screened: [...refs],
    figures: await sealDecision(ports, challenger.branch, rows, { why, adoption }),
    effect:
      fresh === null
        ? null
        : selectEffect(selectRows, [control.branch, challenger.branch], replicates),
    spread: adoption?.spread ?? { variance: 0, noise: 0, df: 0 },
    fresh,
    familySpreads: [...input.family],
    before: [...input.before],
  };
}

async function sealDecision(
  { stores }: CampaignPorts,
  branch: string,
  rows: readonly SealedResult[],
  { why, adoption }: Pick<RecipeDecision, 'why' | 'adoption'>,
) {
  const { difference, low } = adoption ?? { difference: null, low: null };
  const figures =
    difference === null || low === null
      ? {}
      : { lowerBound: { mean: difference.mean, low, high: 1, n: difference.tasks } };
  const findings = [{ branch, why: adoption?.why ?? why, figures }];
  return sealFigures(stores, { of: 'recipe-decided', rows, findings });
}

const changeOf = (before: ArtifactRef, after: ArtifactRef): string =>
  sha256Hex(canonicalJson([before.sha256, after.sha256]));

/** What the family knows before this decision: its spread by the last look of each test, and this change's own past. */
function knownBefore(
  family: readonly RegisteredAdoption[],
  test: number,
  change: string,
  campaign: string,
): Pick<RecipeInput, 'family' | 'before'> {
  const others = family.filter((one) => one.test !== test && one.fresh !== null);
  return {
    family: others.map(({ spread }) => spread),
    before: others.flatMap((one) =>
      one.change === change && one.campaign === campaign && one.fresh !== null ? [one.fresh] : [],
    ),
  };
}

/** The guards on every replicate, on the tasks that its branch played. */
async function screened(
  ports: CampaignPorts,
  context: GenerationContext,
  { scope, select, replicates, harness, diag }: AdoptRequest,
): Promise<{
  readonly replicates: readonly Replicate[];
  /** Of all policies that played SELECT. */
  readonly rows: readonly SealedResult[];
  readonly refs: readonly ArtifactRef[];
}> {
  if (replicates === null) return { replicates: [], rows: [], refs: [] };
  const { config, epoch, incumbent } = context;
  const refs = replicates.outcomes.some(isTrained) ? screenResults(replicates.select) : [];
  const rows = withReplicates(
    await readSealedRows(ports.sealedAnalytics, screenResults(select)),
    await readSealedRows(ports.sealedAnalytics, refs),
  );
  const judged = await screenReplicates(ports, {
    config,
    epoch: epoch.digest,
    incumbent,
    ancestors: await findAncestors(ports.stores.open, scope.campaign, context),
    replicates: replicates.outcomes.map(asReplicate),
    rows,
    harness,
    incumbentDiag: diag,
  });
  return { replicates: judged, rows, refs };
}

const asReplicate = (outcome: BranchOutcome): TrainedReplicate => ({
  ...replicateOf(outcome.branch),
  ...(outcome.status === 'ok'
    ? { outcome: 'ok', candidate: outcome.candidate, diag: outcome.artifacts.diag }
    : { outcome: outcome.kind, candidate: null, diag: null }),
});
