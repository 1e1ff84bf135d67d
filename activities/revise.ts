// Asks whether the harness explained what happened; what a researcher offers is measured before it is let in.
import { z } from 'zod';
import { draft } from '../core/drafts.ts';
import type { CampaignScope } from '../core/generation.ts';
import { askedOf } from '../core/generation-view.ts';
import { findGaps } from '../core/harness/gap.ts';
import { optionsOf } from '../core/harness/rank-operators.ts';
import { confirmingDetectors } from '../core/harness/retirement.ts';
import type { Memory } from '../core/memory.ts';
import { type ArtifactRef, artifactRefSchema } from '../core/schemas/artifact.ts';
import { type Harness, harnessSchema, healthReportSchema } from '../core/schemas/harness.ts';
import { candidateSchema, type PastGeneration } from '../core/schemas/ledger-entry.ts';
import { type Recipe, recipeSchema } from '../core/schemas/recipe.ts';
import type { HarnessChange } from '../core/schemas/revision.ts';
import { applyRevisions, retryProvisional } from './revising/apply-revisions.ts';
import type { Applied } from './revising/revision-context.ts';
import { checkIncumbent, type Reverted } from './revising/check-incumbent.ts';
import { type DiagnoseRequest, setsOf } from './diagnose.ts';
import { finishStep } from './shared/finish-step.ts';
import { openHalf } from './revising/labeled-sample.ts';
import { readMemory, storeMemory } from './shared/stored-memory.ts';
import type { Analytics } from './ports/analytics.ts';
import type { CampaignPorts, PortsOf } from './ports/campaign-ports.ts';
import { readHealth } from './reading/read-health.ts';
import { readTransitions } from './revising/read-transitions.ts';
import { rereadPast } from './revising/reread-past.ts';
import { lostCases, reviewDetectors, type StoredSet } from './revising/review-detectors.ts';
import { scoreDetectors } from './revising/score-detectors.ts';
import { readJson, storeJson } from './shared/store-json.ts';

export interface ReviseRequest {
  readonly scope: CampaignScope;
  readonly trainerDigest: string;
  readonly generation: number;
  readonly redo: number;
  readonly harness: ArtifactRef;
  readonly health: ArtifactRef;
  readonly evidence: DiagnoseRequest['evidence'];
  readonly memory: ArtifactRef | null;
  /** The incumbent's: what it uses is not retired, and what does not apply to it is no step. */
  readonly recipe: ArtifactRef;
  /** Categories that the incumbent has lost. */
  readonly lost: readonly string[];
}

const summarySchema = z.strictObject({
  /** What a human should decide. */
  notices: z.array(z.string()),
  bottleneck: z.string().nullable(),
  reverted: z
    .strictObject({
      generation: z.int(),
      branch: z.string(),
      why: z.string(),
      candidate: candidateSchema,
      steps: artifactRefSchema.nullable(),
    })
    .nullable(),
});

/** `harness`, `health` and `memory` are those that propose reads; where nothing changed, the ones that came in. */
export type Revised = z.infer<typeof summarySchema> & {
  readonly harness: ArtifactRef;
  readonly health: ArtifactRef;
  readonly memory: ArtifactRef | null;
  /** The ledger entry, stored. */
  readonly entry: ArtifactRef;
};

/** Idempotent by step key: the ledger up to this generation, which a reversion reads, follows from the memory's digest. */
export const makeRevise =
  (portsOf: PortsOf) =>
  async (request: ReviseRequest): Promise<Revised> => {
    const ports = portsOf(request.scope);
    const { generation, redo, trainerDigest, lost } = request;
    const { outputs, summary } = await finishStep(
      ports.stores.open,
      {
        step: 'revise',
        spec: { generation, lost, catalog: ports.catalog.digest },
        inputs: inputsOf(request),
        trainerDigest,
        redo,
      },
      async () => compute(ports, request),
    );
    const { harness, health, entry, memory = null } = outputs;
    if (!harness || !health || !entry) {
      throw new RangeError('a revise manifest names harness, health and entry');
    }
    return { harness, health, memory, entry, ...summarySchema.parse(summary) };
  };

function inputsOf(request: ReviseRequest): Record<string, ArtifactRef> {
  const { harness, health, memory, recipe, evidence } = request;
  const all = Object.entries({ harness, health, memory, recipe, ...evidence });
  return Object.fromEntries(all.flatMap(([name, ref]) => (ref === null ? [] : [[name, ref]])));
}

async function compute(ports: CampaignPorts, request: ReviseRequest) {
  const { stores, analytics, catalog } = ports;
  const { open } = stores;
  const { generation } = request;
  const before = await readJson(open, request.harness, harnessSchema);
  const memory = await readMemory(open, request.memory);
  const sets = setsToTry(request, memory.past);
  const recipe = await readJson(open, request.recipe, recipeSchema);
  const reviewed = await reviewDetectors(analytics, { harness: before, recipe, sets });
  const evidence = setsOf(request.evidence, memory.past);
  const { operators } = catalog;
  const context = { analytics, generation, operators, recipe, sets, evidence };
  const retried = await retryProvisional(context, reviewed.harness);
  const asked = { harness: retried.harness, recipe, memory, sets };
  const { gaps, revisions } = await askResearcher(ports, request, asked);
  const applied = await applyRevisions(context, retried.harness, revisions);
  const made = [...reviewChanges(reviewed), ...retried.changes, ...applied.changes];
  const { harness, changes } = await withoutLoss(analytics, sets, {
    before,
    applied: { harness: applied.harness, changes: made },
  });
  const stored = await storeRevised(ports, request, { harness, before, memory });
  const reverted = await checkIncumbent(ports, {
    campaign: request.scope.campaign,
    harness: stored.harness,
    detectors: changes.flatMap(({ name, decision }) => (decision === 'blocking' ? [name] : [])),
    diag: request.evidence.diag,
  });
  const entry = draft('harness-revised', generation, {
    harness: stored.harness,
    health: stored.health,
    gaps,
    changes: [...changes],
    scored: await scoreDetectors(analytics, catalog, { before, harness, sets }),
    evidence: changes.length === 0 ? [] : sets.flatMap(({ diag, labels }) => [diag, labels]),
    reread: stored.reread,
    reverted: reverted?.reversion ?? null,
    bottleneck: stored.bottleneck,
  });
  return {
    outputs: {
      harness: stored.harness,
      health: stored.health,
      ...(stored.memory === null ? {} : { memory: stored.memory }),
      entry: await storeJson(open, entry),
    },
    summary: {
      notices: askedOf(changes),
      bottleneck: stored.bottleneck,
      reverted: reverted && withdrawnBy(reverted),
    },
  };
}

/** Each change was checked alone; where together they lose a confirmed past case, none of them is made. */
async function withoutLoss(
  analytics: Analytics,
  sets: readonly StoredSet[],
  { before, applied }: { readonly before: Harness; readonly applied: Applied },
): Promise<Applied> {
  if (applied.harness === before) return applied;
  const lost = await lostCases(analytics, before, applied.harness, sets);
  if (lost === 0) return applied;
  const why = `the revised detectors would miss ${lost} confirmed past cases`;
  const changes = applied.changes.map((change) => ({
    ...change,
    decision: 'refused' as const,
    why,
    definitions: [],
  }));
  return { harness: before, changes };
}

const withdrawnBy = ({ reversion: { generation, branch, why }, to }: Reverted) => ({
  generation,
  branch,
  why,
  candidate: to.candidate,
  steps: to.steps,
});

/** The researcher is asked where there is a gap, and given the half that may be mined. */
async function askResearcher(
  { stores, analytics, catalog, researcher }: CampaignPorts,
  request: ReviseRequest,
  given: {
    readonly harness: Harness;
    readonly recipe: Recipe;
    readonly memory: Memory;
    readonly sets: readonly StoredSet[];
  },
) {
  const { open } = stores;
  const { generation } = request;
  const { harness, recipe, memory, sets } = given;
  const { past } = memory;
  const health = await readJson(open, request.health, healthReportSchema);
  const options = optionsOf(harness, health, recipe, memory);
  const happened = await readTransitions(open, {
    generation,
    health: request.health,
    past,
    harness,
  });
  const gaps = findGaps({ ...happened, options });
  if (gaps.length === 0) return { gaps, revisions: [] };
  const labelled =
    sets.length === 0 ? null : openHalf(analytics, 'mining', sets, confirmingDetectors(harness));
  const { operators } = catalog;
  const revisions = await researcher.revise({
    generation,
    gaps,
    health,
    harness,
    options,
    operators,
    labelled,
  });
  return { gaps, revisions };
}

/** h′ counts from this generation's propose on, so the reports that propose reads are h′'s; unchanged, they stay. */
async function storeRevised(
  { stores, analytics }: CampaignPorts,
  request: ReviseRequest,
  given: { readonly harness: Harness; readonly before: Harness; readonly memory: Memory },
) {
  const { open } = stores;
  const { harness, before, memory } = given;
  if (harness === before) {
    const { bottleneck } = await readJson(open, request.health, healthReportSchema);
    const { harness: same, health, memory: known } = request;
    return { harness: same, health, memory: known, reread: [], bottleneck };
  }
  const { past, reports } = await rereadPast(open, analytics, harness, memory.past);
  const report = await readHealth(analytics, {
    harness,
    generation: request.generation,
    sets: setsOf(request.evidence, past),
    previous: reports,
    lost: request.lost,
  });
  return {
    harness: await storeJson(open, harness),
    health: await storeJson(open, report),
    memory: request.memory === null ? null : await storeMemory(open, { ...memory, past }),
    reread: past.map(({ generation, health }) => ({ generation, health })),
    bottleneck: report.bottleneck,
  };
}

type Reviewed = Awaited<ReturnType<typeof reviewDetectors>>;

const reviewChanges = (reviewed: Reviewed): HarnessChange[] =>
  (['retired', 'refused', 'asked', 'blocking'] as const).flatMap((decision) =>
    reviewed[decision].map(({ name, why }) => ({
      axis: 'review' as const,
      name,
      decision,
      why,
      definitions: [],
    })),
  );

/** Labelled DIAG sets of the incumbent and of every branch of stored generations. */
function setsToTry(
  { evidence, generation }: ReviseRequest,
  past: readonly PastGeneration[],
): StoredSet[] {
  const { diag, labels } = evidence;
  return [
    ...(labels === null ? [] : [{ generation, policy: 'incumbent', diag, labels }]),
    ...past.flatMap(({ generation: of, evidence: before, branches }) => [
      { generation: of, policy: 'incumbent', diag: before.diag, labels: before.labels },
      ...branches.map((branch) => ({
        generation: of,
        policy: branch.branch,
        diag: branch.diag,
        labels: branch.labels,
      })),
    ]),
  ];
}
