// Skills: which operator worked for which bottleneck, with sources; and how experience moves an operator's prior.
import type { Skill } from './schemas/ledger-entry.ts';
import { meanInterval, summarize, type Interval } from './stats/intervals.ts';
import { type Estimate, posterior, standardError, tauSquared } from './stats/shrinkage.ts';

/** A validated skill needs at least this many branch seeds: fewer do not show the spread between seeds. */
const SEEDS_MIN = 3;

/** One measured use of an operator: the branch's paired difference from b0 on SELECT. */
export interface SkillUse {
  /** Rule that named the bottleneck. */
  readonly trigger: string;
  readonly operator: string;
  readonly domain: string;
  readonly effect: Interval;
  /** Refused by a guard: counts as a use without a hit, whatever its effect. */
  readonly isRefused: boolean;
  readonly sources: readonly string[];
}

export const skillId = (use: Pick<SkillUse, 'trigger' | 'operator' | 'domain'>): string =>
  `${use.domain}/${use.trigger}/${use.operator}`;

const isHit = ({ effect, isRefused }: SkillUse): boolean => !isRefused && effect.low > 0;

/** Replaces changed skills and adds new ones. */
export const mergeSkills = (known: readonly Skill[], changed: readonly Skill[]): Skill[] => [
  ...known.filter(({ id }) => !changed.some((skill) => skill.id === id)),
  ...changed,
];

/**
 * The skills that a generation's uses change. A known skill gains a use with its effect and evidence; a new,
 * quarantined skill needs a hit. Give the uses in branch order; the same use given twice counts twice.
 */
export function recordSkills(known: readonly Skill[], uses: readonly SkillUse[]): Skill[] {
  const changed = new Map<string, Skill>();
  for (const use of uses) {
    const id = skillId(use);
    const old = changed.get(id) ?? known.find((skill) => skill.id === id) ?? null;
    if (old === null && !isHit(use)) continue;
    changed.set(id, withUse(old, use));
  }
  return [...changed.values()];
}

function withUse(old: Skill | null, use: SkillUse): Skill {
  const { trigger, operator, domain } = use;
  const { mean, low, high, n } = use.effect;
  const effects = [...(old?.effects ?? []), { mean, low, high, n }];
  const hits = (old?.hits ?? 0) + (isHit(use) ? 1 : 0);
  return {
    id: skillId(use),
    trigger,
    operator,
    domain,
    effects,
    standing: standingOf(effects, hits),
    uses: (old?.uses ?? 0) + 1,
    hits,
    sources: [...new Set([...(old?.sources ?? []), ...use.sources])].toSorted(),
  };
}

/** Validated: three branch seeds or more whose mean effect has a one-sided 95 % lower bound (t over seeds) above 0. */
function standingOf(effects: Skill['effects'], hits: number): Skill['standing'] {
  if (effects.length < SEEDS_MIN || hits === 0) return 'quarantined';
  const { low } = meanInterval(summarize(effects.map(({ mean }) => mean)), 0.95, 1);
  return low > 0 ? 'validated' : 'quarantined';
}

/** A mean effect with the spread of single effects; the spread is 0 if only the prior's width is known. */
export interface Expected extends Estimate {
  readonly spread: number;
}

/**
 * An operator's prior after its measured effects. Each effect has weight 1/(se² + τ²), where τ² is the variance between
 * effects, so that one lucky branch moves the prior little.
 */
export function raisePrior(
  prior: { readonly mean: number; readonly sd: number },
  effects: readonly Pick<Interval, 'low' | 'high' | 'mean'>[],
): Expected {
  const estimates = effects.map((effect) => ({ mean: effect.mean, se: standardError(effect) }));
  // With few effects, the prior's spread is a better estimate than theirs.
  const tau2 = effects.length < SEEDS_MIN ? prior.sd ** 2 : tauSquared(estimates);
  const widened = estimates.map(({ mean, se }) => ({ mean, se: Math.sqrt(se ** 2 + tau2) }));
  const spread = effects.length === 0 ? 0 : Math.sqrt(tau2);
  return { ...posterior({ mean: prior.mean, se: prior.sd }, widened), spread };
}
