// Asks the researcher for interventions and checks each as if a stranger had made it; a human's come first.
import type { CampaignScope } from '../core/generation.ts';
import { jobFeatures } from '../core/harness/job-features.ts';
import { checkIntervention } from '../core/recipe/check-intervention.ts';
import type { ArtifactRef } from '../core/schemas/artifact.ts';
import { type Harness, harnessSchema, healthReportSchema } from '../core/schemas/harness.ts';
import { type Intervention, interventionSchema } from '../core/schemas/intervention.ts';
import type { PastGeneration, Skill } from '../core/schemas/ledger-entry.ts';
import { type Recipe, recipeSchema } from '../core/schemas/recipe.ts';
import { z } from 'zod';
import { finishStep } from './finish-step.ts';
import type { CampaignPorts, PortsOf } from './ports/campaign-ports.ts';
import { readJson, storeJson } from './store-json.ts';

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
  readonly past: readonly PastGeneration[];
  readonly skills: readonly Skill[];
}

const proposalSchema = z.strictObject({
  version: z.literal(1),
  interventions: z.array(interventionSchema),
  refused: z.array(z.strictObject({ id: z.string(), why: z.string() })),
});
export type Proposals = Pick<z.infer<typeof proposalSchema>, 'interventions' | 'refused'>;

/** Idempotent by step key, which holds what humans injected. */
export const makePropose =
  (portsOf: PortsOf) =>
  async (request: ProposeRequest): Promise<Proposals> => {
    const ports = portsOf(request.scope);
    const { generation, trainerDigest, redo, harness, health, recipe } = request;
    const { count, injected, past, skills } = request;
    const manifest = await finishStep(
      ports.stores.open,
      {
        step: 'propose',
        spec: { generation, count, injected, past, skills },
        inputs: { harness, health, recipe },
        trainerDigest,
        redo,
      },
      async () => {
        const proposals = { version: 1, ...(await collect(ports, request)) };
        return {
          outputs: { proposals: await storeJson(ports.stores.open, proposals) },
          summary: {},
        };
      },
    );
    const ref = manifest.outputs['proposals'];
    if (ref === undefined) throw new RangeError('a propose manifest names no proposals');
    const { interventions: made, refused } = await readJson(ports.stores.open, ref, proposalSchema);
    return { interventions: made, refused };
  };

async function collect(
  { stores, researcher }: CampaignPorts,
  request: ProposeRequest,
): Promise<Proposals> {
  const { open } = stores;
  const harness = await readJson(open, request.harness, harnessSchema);
  const recipe = await readJson(open, request.recipe, recipeSchema);
  const proposed = await researcher.propose({
    generation: request.generation,
    health: await readJson(open, request.health, healthReportSchema),
    healthSha256: request.health.sha256,
    harness,
    recipe,
    memory: { past: request.past, skills: request.skills },
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
