// Asks the researcher for interventions and checks each as if a stranger had made it; a human's come first.
import { draft, type DraftOf } from '../core/drafts.ts';
import type { CampaignScope } from '../core/generation.ts';
import { jobFeatures } from '../core/harness/job-features.ts';
import { checkIntervention } from '../core/recipe/check-intervention.ts';
import type { ArtifactRef } from '../core/schemas/artifact.ts';
import { type Harness, harnessSchema, healthReportSchema } from '../core/schemas/harness.ts';
import type { Intervention } from '../core/schemas/intervention.ts';
import { type Recipe, recipeSchema } from '../core/schemas/recipe.ts';
import { finishStep } from './shared/finish-step.ts';
import { readMemory } from './shared/stored-memory.ts';
import type { CampaignPorts, PortsOf } from './ports/campaign-ports.ts';
import { readJson, storeJson } from './shared/store-json.ts';

export interface ProposeRequest {
  readonly scope: CampaignScope;
  readonly trainerDigest: string;
  readonly generation: number;
  readonly redo: number;
  readonly harness: ArtifactRef;
  /** The report whose bottleneck counts: the one that revise ended with. */
  readonly health: ArtifactRef;
  /** The incumbent's recipe. */
  readonly recipe: ArtifactRef;
  /** K: branches beside the control. Up to twice as many are proposed, since the backtest rejects some. */
  readonly count: number;
  readonly injected: readonly Intervention[];
  readonly memory: ArtifactRef | null;
}

/** The ledger entry that says what was proposed and what refused, stored: backtest and the ledger read it there. */
export interface Proposed {
  readonly proposed: ArtifactRef;
}

/** Idempotent by step key, which holds what humans injected. */
export const makePropose =
  (portsOf: PortsOf) =>
  async (request: ProposeRequest): Promise<Proposed> => {
    const ports = portsOf(request.scope);
    const { generation, trainerDigest, redo, harness, health, recipe } = request;
    const { count, injected, memory } = request;
    const manifest = await finishStep(
      ports.stores.open,
      {
        step: 'propose',
        spec: { generation, count, injected },
        inputs: { harness, health, recipe, ...(memory === null ? {} : { memory }) },
        trainerDigest,
        redo,
      },
      async () => {
        const entry = draft('proposed', generation, await collect(ports, request));
        return { outputs: { proposed: await storeJson(ports.stores.open, entry) }, summary: {} };
      },
    );
    const { proposed } = manifest.outputs;
    if (proposed === undefined) throw new RangeError('a propose manifest names no proposals');
    return { proposed };
  };

async function collect(
  { stores, researcher }: CampaignPorts,
  request: ProposeRequest,
): Promise<DraftOf<'proposed'>['body']> {
  const { open } = stores;
  const harness = await readJson(open, request.harness, harnessSchema);
  const recipe = await readJson(open, request.recipe, recipeSchema);
  const proposed = await researcher.propose({
    generation: request.generation,
    health: await readJson(open, request.health, healthReportSchema),
    healthSha256: request.health.sha256,
    harness,
    recipe,
    memory: await readMemory(open, request.memory),
    interventionsMax: 2 * request.count,
  });
  const kept: Intervention[] = [];
  const refused = [...proposed.refused];
  for (const intervention of [...request.injected, ...proposed.interventions]) {
    const why = refusalOf(intervention, harness, recipe, kept);
    if (why === null) kept.push(intervention);
    else refused.push({ id: intervention.id, why });
  }
  return { interventions: kept, refused };
}

/** Two of a human's may share a factor; a researcher's never share one. */
function refusalOf(
  intervention: Intervention,
  harness: Harness,
  recipe: Recipe,
  kept: readonly Intervention[],
): string | null {
  if (kept.some(({ id }) => id === intervention.id)) return 'the id is taken';
  const checked = checkIntervention(intervention.patch, recipe, harness.domain.recipe_paths);
  if (!checked.ok) return checked.reason;
  if (checked.factor !== intervention.factor) {
    return `says ${intervention.factor} and changes ${checked.factor}`;
  }
  const taken = kept.find(({ factor }) => factor === checked.factor);
  if (taken !== undefined && intervention.proposer !== 'human') {
    return `${taken.operator} already changes ${checked.factor}`;
  }
  const parsed = recipeSchema.safeParse(checked.recipe);
  if (!parsed.success) return parsed.error.issues[0]?.message ?? 'the recipe does not parse';
  try {
    jobFeatures(harness, parsed.data);
    return null;
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}
