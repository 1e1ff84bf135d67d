// Whether the features that a recipe names exist: an error now instead of a parked campaign later.
import { featuresOf } from '../core/harness/definition.ts';
import type { CampaignConfig } from '../core/schemas/campaign-config.ts';
import { composeCatalog } from '../workers/compose-catalog.ts';
import { usageError } from './exit.ts';
import { nearest } from '../core/nearest.ts';

export async function checkFeatures({
  recipe,
  definitions: own = [],
}: CampaignConfig): Promise<void> {
  const catalog = await composeCatalog();
  const definitions = [...catalog.definitions, ...own];
  const known = featuresOf({ definitions }).map(({ head }) => head.name);
  const paid = recipe.reward.components.map(({ feature }, place) => ({
    where: `recipe.reward.components.${place}.feature`,
    feature,
  }));
  const filtering = recipe.filter.trajectories.map((feature, place) => ({
    where: `recipe.filter.trajectories.${place}`,
    feature,
  }));
  const faults = [...paid, ...filtering]
    .filter(({ feature }) => !known.includes(feature))
    .map(({ where, feature }) => {
      const meant = nearest(feature, known);
      const cure = meant ? `did you mean "${meant}"?` : `there are ${known.join(', ')}`;
      return `${where}: no feature "${feature}" in harness/features; ${cure}`;
    });
  if (faults.length > 0) throw usageError(faults.join('\n'));
}
