// The briefs of a generation's specialists, from stored objects and the ledger before the generation.
import { briefText } from '../../core/research/brief.ts';
import { triedChanges } from '../../core/research/outcomes.ts';
import { researcherView } from '../../core/researcher-view.ts';
import type { ArtifactRef } from '../../core/schemas/artifact.ts';
import type { CampaignConfig } from '../../core/schemas/campaign-config.ts';
import type { TriedChange } from '../../core/schemas/desk.ts';
import { harnessSchema, healthReportSchema } from '../../core/schemas/harness.ts';
import type { LedgerRecord } from '../../core/schemas/ledger-entry.ts';
import { recipeJsonSchema, recipeSchema } from '../../core/schemas/recipe.ts';
import type { Store } from '../ports/store.ts';
import { readJson } from '../shared/store-json.ts';
import { specialistsOf } from './specialist-of.ts';

/** Changes of that many generations are shown. */
export const GENERATIONS_SHOWN = 30;

export interface BriefSources {
  readonly config: CampaignConfig;
  readonly generation: number;
  readonly incumbent: { readonly recipe: ArtifactRef };
  readonly revision: { readonly harness: ArtifactRef; readonly health: ArtifactRef };
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

/** In the order of the config. */
export async function readBriefs(
  store: Store,
  { config, generation, incumbent, revision, tried }: BriefSources,
): Promise<{ readonly specialist: string; readonly text: string }[]> {
  const { researcher, interventions: interventionsMax } = config;
  if (researcher === undefined) return [];
  const { domain, definitions } = await readJson(store, revision.harness, harnessSchema);
  const recipe = await readJson(store, incumbent.recipe, recipeSchema);
  const health = await readJson(store, revision.health, healthReportSchema);
  const shown = {
    domain,
    definitions,
    recipe,
    health,
    recipeSchema: recipeJsonSchema(),
    recipeSha256: incumbent.recipe.sha256,
    tried,
    generation,
    interventionsMax,
  };
  return specialistsOf(researcher).map((specialist) => ({
    specialist: specialist.name,
    text: briefText({ ...shown, specialist }),
  }));
}
