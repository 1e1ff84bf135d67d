// The briefs of a generation's specialists, from stored objects and the ledger before the generation.
import { briefText } from '../../core/research/brief.ts';
import { triedChanges } from '../../core/research/outcomes.ts';
import { researcherView } from '../../core/researcher-view.ts';
import type { ArtifactRef } from '../../core/schemas/artifact.ts';
import type { CampaignConfig } from '../../core/schemas/campaign-config.ts';
import type { TriedChange } from '../../core/schemas/desk.ts';
import type { Gap } from '../../core/schemas/gap.ts';
import { harnessSchema, healthReportSchema } from '../../core/schemas/harness.ts';
import type { LedgerRecord } from '../../core/schemas/ledger-entry.ts';
import { recipeJsonSchema, recipeSchema } from '../../core/schemas/recipe.ts';
import type { Store } from '../ports/store.ts';
import { readJson } from '../shared/store-json.ts';
import type { StaffedSpecialist } from './specialist-of.ts';

/** Changes of that many generations are shown. */
export const GENERATIONS_SHOWN = 30;

export interface BriefSources {
  readonly config: CampaignConfig;
  readonly generation: number;
  readonly incumbent: { readonly recipe: ArtifactRef };
  readonly harness: ArtifactRef;
  readonly health: ArtifactRef;
  readonly gaps: readonly Gap[];
  /** What became of the changes of the last generations. */
  readonly tried: readonly TriedChange[];
}

/** `records` are all of the last generations that are shown; more change nothing. */
export const readTried = (
  generation: number,
  records: readonly Pick<LedgerRecord, 'entry'>[],
): TriedChange[] =>
  triedChanges(
    researcherView(
      records.filter(({ entry: { draft } }) => {
        const age = generation - draft.generation;
        return age > 0 && age <= GENERATIONS_SHOWN;
      }),
    ),
  );

/** One for each of those that are asked. */
export async function readBriefs(
  store: Store,
  sources: BriefSources,
  asked: readonly StaffedSpecialist[],
): Promise<{ readonly specialist: string; readonly text: string }[]> {
  const { config, generation, incumbent, gaps, tried } = sources;
  const harness = await readJson(store, sources.harness, harnessSchema);
  const recipe = await readJson(store, incumbent.recipe, recipeSchema);
  const health = await readJson(store, sources.health, healthReportSchema);
  const shown = {
    harness,
    gaps,
    recipe,
    health,
    recipeSchema: recipeJsonSchema(),
    recipeSha256: incumbent.recipe.sha256,
    tried,
    generation,
    interventionsMax: config.interventions,
  };
  return asked.map((specialist) => ({
    specialist: specialist.name,
    text: briefText({ ...shown, specialist }),
  }));
}
