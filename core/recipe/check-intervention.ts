// Whether a patch is an intervention: one factor, inside the domain's allow-list, and a change at all.
import { canonicalJson } from '../canonical-json.ts';
import { closest } from '../nearest.ts';
import type { JsonPatch } from '../schemas/intervention.ts';
import type { Recipe } from '../schemas/recipe.ts';
import { applyPatch } from './apply-patch.ts';
import { type Factor, FACTOR_PATHS, factorsOf } from './factors.ts';
import { isBelow, type Json } from './recipe.ts';

export type InterventionCheck =
  | {
      readonly ok: true;
      readonly factor: Factor;
      readonly rollback: JsonPatch;
      /** The patched recipe, still to be parsed by recipeSchema: values may be out of range, defaults missing. */
      readonly recipe: Json;
    }
  | { readonly ok: false; readonly reason: string };

/** Where a patch would reach for the evaluation: what calibration freezes is no part of a recipe. */
const EVALUATION =
  /^\/(?:.*\/)?(?:evaluat\w*|gate|epoch|seeds?|campaign_seed|splits?|environment|streams?|oracle|labels?|canary|promotion|select|diag|final|alpha|margin|samples?|sample_count|problems?|harness|detectors?)(?:\/|$)/i;

/** `allowList` holds recipe paths; each allows what lies below it. The reason is one sentence with the path. */
export function checkIntervention(
  patch: JsonPatch,
  recipe: Recipe,
  allowList: readonly string[],
): InterventionCheck {
  const factors = new Set<Factor>();
  for (const { path } of patch) {
    const touched = factorsOf(path);
    if (touched.length === 0 && EVALUATION.test(path)) {
      return refuse(
        `R27: ${path} decides how policies are evaluated, which no intervention may change`,
      );
    }
    if (touched.length === 0) {
      return refuse(
        `the recipe has no path ${path}; the nearest one is ${closest(path, FACTOR_PATHS)}`,
      );
    }
    if (!allowList.some((allowed) => isBelow(path, allowed))) {
      return refuse(`${path} may not be changed in this domain, only ${allowList.join(', ')}`);
    }
    for (const factor of touched) factors.add(factor);
  }
  const [factor, second] = factors;
  if (factor === undefined) return refuse('the patch is empty');
  if (second !== undefined) {
    return refuse(
      `the patch changes ${factors.size} factors, ${[...factors].join(' and ')}; an intervention changes one`,
    );
  }
  const applied = applyPatch(recipe, patch);
  if (!applied.ok) return applied;
  if (canonicalJson(applied.value) === canonicalJson(recipe)) {
    return refuse('the patch leaves the recipe as it is');
  }
  return { ok: true, factor, rollback: applied.rollback, recipe: applied.value };
}

const refuse = (reason: string): InterventionCheck => ({ ok: false, reason });
