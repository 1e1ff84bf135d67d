// What of the harness a job must compute: the features that its recipe pays for or filters by.
import type { Harness } from '../schemas/harness.ts';
import type { Job } from '../schemas/job.ts';
import type { Recipe } from '../schemas/recipe.ts';
import { featuresOf } from './definition.ts';

/** Names of the features a recipe uses, sorted. */
export const recipeFeatures = ({ reward, filter }: Recipe): string[] =>
  [...new Set([...reward.components.map(({ feature }) => feature), ...filter.trajectories])].sort();

/** Throws RangeError that names a feature the harness does not have, or a filter that is not boolean. */
export function jobFeatures(
  harness: Pick<Harness, 'definitions'>,
  recipe: Recipe,
): Job['features'] {
  const features = featuresOf(harness);
  return recipeFeatures(recipe).map((wanted) => {
    const found = features.find(({ head }) => head.name === wanted);
    if (found === undefined) {
      const known = features.map(({ head }) => head.name).join(', ');
      throw new RangeError(`the harness has no feature '${wanted}', only ${known}`);
    }
    const { name, type } = found.head;
    if (type !== 'boolean' && recipe.filter.trajectories.includes(name)) {
      throw new RangeError(`/filter/trajectories needs boolean features; '${name}' is a ${type}`);
    }
    return { name, type, sql: found.sql, sha256: found.sha256 };
  });
}
