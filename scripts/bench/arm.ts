// An arm of a bench: a name, and the config's recipe with operators of the catalogue and single settings on top.
import { parse } from 'yaml';
import type { Catalog } from '../../core/harness/definition.ts';
import { patchOf } from '../../core/harness/patch-of.ts';
import { applyPatch } from '../../core/recipe/apply-patch.ts';
import { type JsonPatch, jsonPatchSchema } from '../../core/schemas/intervention.ts';
import { type Recipe, recipeSchema } from '../../core/schemas/recipe.ts';

export interface Arm {
  readonly name: string;
  /** What was asked for; empty for the static arm. */
  readonly changes: string;
  readonly recipe: Recipe;
}

export const STATIC = 'static';

/**
 * `name: change + change…`, where a change is an operator (`strict_answer_reward`) or a setting
 * (`/optimizer/learning_rate=2e-4`, its value read as YAML); without a name, the first change is it.
 */
export function armOf(text: string, base: Recipe, catalog: Catalog): Arm {
  const { label, list = '' } = /^(?:(?<label>[\w-]+):\s+)?(?<list>.*)$/.exec(text)?.groups ?? {};
  const changes = list.split('+').map((change) => change.trim());
  const recipe = changes.reduce(
    (now, change) => applied(now, patchFor(change, now, catalog)),
    base,
  );
  return { name: label ?? changes[0] ?? text, changes: changes.join(' + '), recipe };
}

function patchFor(change: string, recipe: Recipe, catalog: Catalog): JsonPatch {
  if (change.startsWith('/')) {
    const [path = '', ...value] = change.split('=');
    return jsonPatchSchema.parse([{ op: 'add', path, value: parse(value.join('=')) }]);
  }
  const operator = catalog.operators.find(({ name }) => name === change);
  if (operator === undefined) {
    const known = catalog.operators.map(({ name }) => name).join(', ');
    throw new RangeError(`there is no operator '${change}', only ${known}`);
  }
  const made = patchOf(operator, recipe);
  if ('reason' in made) throw new RangeError(made.reason);
  return made.patch;
}

function applied(recipe: Recipe, patch: JsonPatch): Recipe {
  const patched = applyPatch(recipe, patch);
  if (!patched.ok) throw new RangeError(patched.reason);
  return recipeSchema.parse(patched.value);
}
