// Asks the researcher for interventions and checks each one as untrusted input. Injected ones come first; they are
// derived again, because the recipe may have changed since.
import { draft, type DraftOf } from '../core/drafts.ts';
import { drawsInterventions } from '../core/arm.ts';
import { drawInterventions } from '../core/recipe/draw-interventions.ts';
import type { ArtifactRef } from '../core/schemas/artifact.ts';
import { type Harness, harnessSchema, healthReportSchema } from '../core/schemas/harness.ts';
import type { GenerationContext } from '../core/schemas/generation-context.ts';
import type { Intervention } from '../core/schemas/intervention.ts';
import type { Rollouts } from '../core/schemas/past-generation.ts';
import { type Recipe, recipeJsonSchema, recipeSchema } from '../core/schemas/recipe.ts';
import type { Revised } from './revise.ts';
import { asksCatalog, inTurn } from '../core/research/settle.ts';
import { submittedSchema } from '../core/schemas/offer.ts';
import { whyNotOwn } from './offering/check-own-features.ts';
import { withOwnFeatures } from './offering/own-harness.ts';
import { deriveInjection, injectionOf } from './shared/derive-injection.ts';
import type { Proposal } from './ports/researcher.ts';
import { checkPatch } from './shared/check-patch.ts';
import { sha256Hex } from './shared/digest.ts';
import { finishStep, noSummary } from './shared/finish-step.ts';
import { readMemory } from './shared/stored-memory.ts';
import type { CampaignPorts, PortsOf } from './ports/campaign-ports.ts';
import { openStep, type StepRequest } from './shared/step-request.ts';
import { readJson, storeJson } from './shared/store-json.ts';

export interface ProposeRequest extends StepRequest {
  readonly revision: Pick<Revised, 'harness' | 'health' | 'memory'>;
  readonly rollouts: Rollouts;
  readonly injected: readonly Intervention[];
  /** What specialists submitted, stored, in the order of the config. */
  readonly offers: readonly ArtifactRef[];
}

export interface Proposed {
  /** The ledger entry with everything proposed and refused, stored: later steps read it there. */
  readonly entry: ArtifactRef;
  /** With the features that interventions bring; absent if none does. */
  readonly harness?: ArtifactRef | undefined;
}

/** Idempotent by step key, which holds the interventions that humans injected. */
export const makePropose =
  (portsOf: PortsOf) =>
  async (request: ProposeRequest): Promise<Proposed> => {
    const { ports, context } = await openStep(portsOf, request);
    const { open } = ports.stores;
    const { revision, rollouts, injected, offers, redo } = request;
    const { generation, incumbent, epoch } = context;
    const { harness, health, memory } = revision;
    const { arm, interventions, seed } = context.config;
    const { outputs } = await finishStep(
      open,
      {
        step: 'propose',
        spec: {
          generation,
          count: interventions,
          injected,
          drawnBy: drawsInterventions(arm) ? seed : null,
          asksCatalog: asksCatalog(context.config.researcher),
        },
        inputs: {
          harness,
          health,
          recipe: incumbent.recipe,
          memory,
          // Offers are measured on them.
          ...(offers.length === 0 ? {} : rollouts),
          ...Object.fromEntries(offers.map((ref, index) => [`offers${index}`, ref])),
        },
        trainerDigest: epoch.trainerDigest,
        redo,
      },
      { outputs: ['entry'], summary: noSummary },
      async () => {
        const body = await collect(ports, context, request);
        const entry = await storeJson(open, draft('proposed', generation, body));
        return { outputs: { entry, ...(body.harness && { harness: body.harness }) }, summary: {} };
      },
    );
    const { entry, harness: own } = outputs;
    return { entry, ...(own && { harness: own }) };
  };

async function collect(
  ports: CampaignPorts,
  context: GenerationContext,
  { revision, rollouts, injected, offers }: ProposeRequest,
): Promise<DraftOf<'proposed'>['body']> {
  const { open } = ports.stores;
  const harness = await readJson(open, revision.harness, harnessSchema);
  const recipe = await readJson(open, context.incumbent.recipe, recipeSchema);
  const submitted = await Promise.all(
    offers.map(async (ref) => readJson(open, ref, submittedSchema)),
  );
  const ofModels = inTurn(submitted);
  const proposed =
    ofModels.length > 0 && !asksCatalog(context.config.researcher)
      ? { interventions: [], refused: [] }
      : await propose(ports, context, revision, { harness, recipe });
  const kept: Intervention[] = [];
  const refused = [...proposed.refused];
  const ofHumans: Intervention[] = [];
  for (const one of injected) {
    const derived = deriveInjection(injectionOf(one), one.id, harness, recipe);
    if (derived.ok) ofHumans.push(derived.intervention);
    else refused.push({ id: one.id, why: derived.reason });
  }
  for (const intervention of [...ofHumans, ...ofModels, ...proposed.interventions]) {
    const { id, features = [] } = intervention;
    const own = withOwnFeatures(harness, [intervention]);
    const why =
      refusalOf(intervention, own, recipe, kept) ??
      (await whyNotOwn(ports, features, { harness: withOwnFeatures(harness, kept), rollouts }));
    if (why === null) kept.push(intervention);
    else refused.push({ id, why });
  }
  const wider = withOwnFeatures(harness, kept);
  return {
    interventions: kept,
    refused,
    ...(wider === harness ? {} : { harness: await storeJson(open, wider) }),
  };
}

async function propose(
  { stores: { open }, researcher }: CampaignPorts,
  { generation, config }: GenerationContext,
  revision: ProposeRequest['revision'],
  { harness, recipe }: { readonly harness: Harness; readonly recipe: Recipe },
): Promise<Proposal> {
  const { arm, seed, interventions: count } = config;
  if (drawsInterventions(arm)) {
    const interventions = drawInterventions({
      seed,
      generation,
      count,
      recipe,
      harness,
      schema: recipeJsonSchema(),
      check: (patch) => checkPatch(patch, recipe, harness),
      sha256: sha256Hex,
    });
    return { interventions, refused: [] };
  }
  return researcher.propose({
    generation,
    health: await readJson(open, revision.health, healthReportSchema),
    healthSha256: revision.health.sha256,
    harness,
    recipe,
    memory: await readMemory(open, revision.memory),
    // Twice as many as branches, because the backtest rejects some.
    interventionsMax: 2 * count,
  });
}

/** Interventions of a human may share a factor; those of a researcher may not. */
function refusalOf(
  intervention: Intervention,
  harness: Harness,
  recipe: Recipe,
  kept: readonly Intervention[],
): string | null {
  if (kept.some(({ id }) => id === intervention.id)) return 'the id is taken';
  const checked = checkPatch(intervention.patch, recipe, harness);
  if (!checked.ok) return checked.reason;
  if (checked.factor !== intervention.factor) {
    return `it claims to change ${intervention.factor} but changes ${checked.factor}`;
  }
  // The backtest decides between a model's and the catalog's.
  const rivals = ['human', intervention.proposer];
  const taken = kept.find(
    ({ factor, proposer }) => factor === checked.factor && rivals.includes(proposer),
  );
  if (taken !== undefined && intervention.proposer !== 'human') {
    return `${taken.operator} already changes ${checked.factor}`;
  }
  return null;
}
