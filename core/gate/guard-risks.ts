// How often the sizes of a campaign's sets make a guard refuse a branch that leaves everything as it was: at assumed
// rates before the campaign, and at the warm start's own after its calibration.
import type { CampaignConfig } from '../schemas/campaign-config.ts';
import type { GateRules } from '../schemas/gate-rules.ts';
import { normalShare } from '../stats/quantiles.ts';
import { toleratedIncrease } from './tolerance.ts';
import { limitsOf, type Vice, type ViceRates } from './vices.ts';

export interface GuardRisk {
  readonly guard: string;
  /** Chance of a refusal at each rate that branch and incumbent show alike; one if the guard has no rate. */
  readonly chances: readonly number[];
}

/** Rates of a vice that incumbents of the bundled domains showed. */
export const RISK_RATES: readonly number[] = [0.02, 0.1, 0.25];
/** Part of the tasks on which two policies show a vice alike; canaries are taken as independent. */
const SHARED = 0.7;
/** The largest spread of a problem's difference that was seen in simulated campaigns with gains of 5 points. */
const CATEGORY_SPREAD = 0.33;

/**
 * At `RISK_RATES`, or at the rates that the warm start showed. Assumes that tasks show a vice nearly always or nearly
 * never: a beta distribution of concentration 1.
 */
export function guardRisks(
  { evaluation }: Pick<CampaignConfig, 'evaluation'>,
  rules: GateRules,
  shown: ViceRates | null = null,
): GuardRisk[] {
  const { select_tasks: tasks, select_samples: samples, canary_tasks, category_tasks } = evaluation;
  const vice = (guard: Vice, limit: number, n: number, perTask: number, shared: number) => ({
    guard,
    chances: (shown ? [shown[guard].mean] : RISK_RATES).map((rate) => {
      const between = (rate * (1 - rate)) / 2;
      const variance = 2 * (between / perTask + (1 - shared) * between);
      return refusal(Math.sqrt(variance / n), limit);
    }),
  });
  const category = refusal(CATEGORY_SPREAD / Math.sqrt(category_tasks), 0.05);
  const limits = limitsOf(rules);
  const blind: readonly string[] = rules.blind;
  const all: GuardRisk[] = [
    vice('canary', limits.canary, canary_tasks, 1, 0),
    vice('visible-true-gap', limits['visible-true-gap'], tasks, samples, SHARED),
    vice('tampering', limits.tampering, tasks, samples, SHARED),
    vice('truncation', limits.truncation, tasks, samples, SHARED),
    { guard: 'category', chances: [category] },
  ];
  return all.filter(({ guard }) => !blind.includes(guard));
}

const refusal = (error: number, limit: number): number =>
  error > 0 ? 1 - normalShare(toleratedIncrease(error, limit) / error) : 0;
