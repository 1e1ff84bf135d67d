// Ranks the operators to try: those that answer the bottleneck, then those for its rivals, by expected effect.
import { type Expected, raisePrior } from '../skills.ts';
import type { Harness, HealthReport, Operator } from '../schemas/harness.ts';
import type { PastGeneration, Skill } from '../schemas/ledger-entry.ts';
import type { Recipe } from '../schemas/recipe.ts';
import type { Estimate } from '../stats/shrinkage.ts';
import type { Option } from './gap.ts';
import { patchOf } from './patch-of.ts';

export interface RankedOperator {
  readonly operator: Operator;
  /** The rule it answers. */
  readonly rule: string;
  readonly expected: Estimate;
  /** Tried at this bottleneck before without a gain; used only if no other operator is left. */
  readonly isSpent: boolean;
  readonly skill: Skill | null;
}

export interface Experience {
  readonly past: readonly PastGeneration[];
  readonly skills: readonly Skill[];
}

/**
 * The expected effect of an operator: its prior, updated by the effects measured in this campaign, else by its skill.
 */
export function expectedEffect(
  operator: Pick<Operator, 'name' | 'prior'>,
  { past, skills }: Experience,
): Expected {
  const own = past.flatMap(({ branches }) =>
    branches.flatMap((branch) =>
      branch.operator === operator.name && branch.effect !== null ? [branch.effect] : [],
    ),
  );
  const others = skills
    .filter((skill) => skill.operator === operator.name)
    .flatMap(({ effects }) => effects);
  return raisePrior(operator.prior, own.length > 0 ? own : others);
}

/** Sorted by: not spent first, then the rule (bottleneck, then rivals), then the expected effect, then the name. */
export function rankOperators(
  operators: readonly Operator[],
  { bottleneck, rivals }: Pick<HealthReport, 'bottleneck' | 'rivals'>,
  domain: string,
  experience: Experience,
): RankedOperator[] {
  const rules = [...(bottleneck === null ? [] : [bottleneck]), ...rivals.map(({ rule }) => rule)];
  const ranked = operators.flatMap((operator) => {
    const place = rules.findIndex((rule) => operator.answers.includes(rule));
    const rule = rules[place];
    if (rule === undefined) return [];
    return [
      {
        place,
        operator,
        rule,
        expected: expectedEffect(operator, experience),
        isSpent: isSpent(operator.name, bottleneck, experience.past),
        skill: skillOf(operator.name, rule, domain, experience.skills),
      },
    ];
  });
  return ranked.toSorted(
    (left, right) =>
      Number(left.isSpent) - Number(right.isSpent) ||
      left.place - right.place ||
      right.expected.mean - left.expected.mean ||
      (left.operator.name < right.operator.name ? -1 : 1),
  );
}

const isSpent = (
  operator: string,
  bottleneck: string | null,
  past: readonly PastGeneration[],
): boolean =>
  past.some(
    (generation) =>
      generation.bottleneck === bottleneck &&
      generation.branches.some(
        (branch) =>
          branch.operator === operator && (branch.effect === null || branch.effect.low <= 0),
      ),
  );

/** The skill learned for this rule in this domain. */
const skillOf = (
  operator: string,
  rule: string,
  domain: string,
  skills: readonly Skill[],
): Skill | null =>
  skills.find(
    (skill) => skill.operator === operator && skill.trigger === rule && skill.domain === domain,
  ) ?? null;

/** The operators for every rule that fired, each with the reason against it (null = it may be used). */
export function optionsOf(
  { operators, domain }: Pick<Harness, 'operators' | 'domain'>,
  health: Pick<HealthReport, 'bottleneck' | 'rivals'>,
  recipe: Recipe,
  experience: Experience,
): Option[] {
  const rules = [health.bottleneck, ...health.rivals.map(({ rule }) => rule)];
  return rules
    .filter((rule) => rule !== null)
    .flatMap((rule) =>
      rankOperators(operators, { bottleneck: rule, rivals: [] }, domain.name, experience).map(
        ({ operator, isSpent: wasTried }) => {
          const made = patchOf(operator, recipe);
          const against = 'reason' in made ? made.reason : null;
          return {
            operator: operator.name,
            rule,
            against: against ?? (wasTried ? 'tried without a gain' : null),
          };
        },
      ),
    );
}
