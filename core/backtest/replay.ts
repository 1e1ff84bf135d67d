// Chooses the kinds of backtest for an intervention, collects their results, and forecasts its gain.
import { type Factor, factorsOf } from '../recipe/factors.ts';
import type { BacktestOutcome } from '../schemas/backtest-report.ts';
import type { Intervention } from '../schemas/intervention.ts';
import { type Estimate, posterior } from '../stats/shrinkage.ts';
import { filterOverlap } from './filter-overlap.ts';
import type { Figures, ReplayReading, RecipeChange, ReplayKind } from './replay-kind.ts';
import { orderViolations } from './order-violations.ts';
import { orthogonality } from './orthogonality.ts';
import { archiveGain, rewardRescoring } from './reward-rescoring.ts';
import { ruleHarm } from './rule-harm.ts';
import { type BacktestKind, needsBranch, SCOPE_OF_KIND } from './vocabulary.ts';

const KINDS: readonly ReplayKind[] = [
  rewardRescoring,
  orderViolations,
  ruleHarm,
  filterOverlap,
  orthogonality,
];

export type BacktestFinding = BacktestOutcome['findings'][number];

/** Null if archived trajectories can answer for the whole patch, else why they cannot. */
export function whyNeedsBranch({ patch }: Pick<Intervention, 'patch'>): string | null {
  const factors = new Set<Factor>(patch.flatMap(({ path }) => factorsOf(path)));
  return needsBranch([...factors]);
}

export const kindsFor = (change: RecipeChange): ReplayKind[] =>
  KINDS.filter((kind) => kind.appliesTo(change));

/** The result of a kind, with what it can and cannot show. */
export const backtestFinding = (kind: BacktestKind, reading: ReplayReading): BacktestFinding => ({
  kind,
  ...SCOPE_OF_KIND[kind],
  figures: { ...reading.figures },
  summary: reading.summary,
  rejected: reading.rejected,
});

/** `figuresOf` returns the row of a kind's query. */
export const readKinds = (
  kinds: readonly ReplayKind[],
  change: RecipeChange,
  figuresOf: (kind: BacktestKind) => Figures,
): BacktestFinding[] =>
  kinds.map((kind) => backtestFinding(kind.kind, kind.read(figuresOf(kind.kind), change)));

/** The gain in true score that the new reward would bring by preferring other rollouts; null if unknown. */
export function archiveGainOf(findings: readonly BacktestFinding[]): Estimate | null {
  const rescored = findings.find(({ kind }) => kind === 'reward-rescoring');
  return rescored === undefined ? null : archiveGain(rescored.figures);
}

/**
 * The operator's prior, updated by the gain in the archive. `modelSd` is the model error of such a gain, in score,
 * because the archive is of the old policy.
 */
export const expectedGain = (
  prior: Estimate,
  archive: Estimate | null,
  modelSd: number,
): Estimate =>
  archive === null
    ? prior
    : posterior(prior, [{ mean: archive.mean, se: Math.hypot(archive.se, modelSd) }]);

type Outcome = Pick<BacktestOutcome, 'id' | 'expected' | 'rejected'>;

/**
 * At most `count`: injected interventions first, then by expected gain, then as proposed; drawn ones as drawn. The
 * others get a reason.
 */
export function rankSurvivors(
  outcomes: readonly Outcome[],
  interventions: readonly Pick<Intervention, 'id' | 'proposer'>[],
  count: number,
): { survivors: string[]; rejected: { id: string; why: string }[] } {
  const proposers = new Map(interventions.map(({ id, proposer }) => [id, proposer]));
  const place = ({ id }: { id: string }): number => (proposers.get(id) === 'human' ? 0 : 1);
  const isDrawn = ({ id }: { id: string }): boolean => proposers.get(id) === 'random';
  const gain = (one: Outcome): number => (isDrawn(one) ? 0 : one.expected.mean);
  const ranked = outcomes
    .filter(({ rejected }) => rejected === null)
    .toSorted((left, right) => place(left) - place(right) || gain(right) - gain(left));
  const rejected = outcomes.flatMap(({ id, rejected: why }) => (why === null ? [] : [{ id, why }]));
  const late = ranked.slice(count).map((one) => ({
    id: one.id,
    why: isDrawn(one)
      ? `${count} others come first`
      : `expected gain ${one.expected.mean.toFixed(3)}: ${count} others are expected to gain more`,
  }));
  return {
    survivors: ranked.slice(0, count).map(({ id }) => id),
    rejected: [...rejected, ...late],
  };
}
