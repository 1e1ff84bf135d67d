// Decides on each branch: its outcome compared with the control, the decision, and the score of its predictions.
import type { BodyOf, Candidate, Guard } from './schemas/ledger-entry.ts';
import type { Intervention } from './schemas/intervention.ts';
import type { EffectOutcome } from './gate/classify-effect.ts';
import type { ScreenedBranch } from './gate/verdict.ts';
import type { Interval } from './stats/intervals.ts';

type DecidedBody = Pick<BodyOf<'branches-decided'>, 'branches' | 'incumbent'>;
export type DecidedBranch = DecidedBody['branches'][number];
type Judgment = Pick<DecidedBranch, 'decision' | 'why'>;

export interface BranchResult {
  readonly branch: string;
  /** Null for the control. */
  readonly intervention: Pick<Intervention, 'predicted'> | null;
  /** The failure of its job; null if it trained. */
  readonly failure: { readonly kind: string } | null;
  /** Null if its job failed. */
  readonly candidate: Candidate | null;
  /** The bottleneck in its own health report. */
  readonly bottleneck: string | null;
  /** Metric by name: difference from the control's value; null = not measurable. */
  readonly observed: Readonly<Record<string, number | null>>;
}

/** The gate's verdict on the challenger; it contains the guard's name but no number. */
export interface ChallengerVerdict {
  readonly branch: string;
  readonly verdict: 'promote' | 'reject' | 'no-decision';
  readonly guard: Guard | null;
  readonly lostCategories: readonly string[];
}

/** Compares predicted effects with the observed differences from b0. A hit has the direction and, if given, is within the interval. */
export function scorePredictions(
  predicted: Intervention['predicted'],
  observed: Readonly<Record<string, number | null>>,
): DecidedBranch['predicted'] {
  return predicted.map(({ metric, direction, interval }) => {
    const value = observed[metric] ?? null;
    if (value === null) return { metric, observed: null, hit: null };
    const moved = direction === 'up' ? value > 0 : value < 0;
    const [low, high] = interval ?? [-Infinity, Infinity];
    return { metric, observed: value, hit: moved && value >= low && value <= high };
  });
}

/**
 * The decision on every branch and the next incumbent. The reasons contain guards and SELECT differences but nothing
 * sealed, because researchers read them. Throws RangeError if a promoted branch has no checkpoint.
 */
export function decideBranches(input: {
  readonly branches: readonly BranchResult[];
  readonly screened: readonly ScreenedBranch[];
  readonly verdict: ChallengerVerdict | null;
  readonly incumbent: Candidate;
}): DecidedBody {
  const branches = input.branches.map((result): DecidedBranch => {
    const screened = input.screened.find(({ branch }) => branch === result.branch) ?? null;
    const effect = screened?.effect ?? null;
    const outcome = screened?.outcome ?? 'insufficient-evidence';
    const verdict = input.verdict?.branch === result.branch ? input.verdict : null;
    const { decision, why } = judge(result, screened, verdict, outcome);
    const predicted = scorePredictions(result.intervention?.predicted ?? [], result.observed);
    const selectMean = screened?.selectMean ?? null;
    return {
      branch: result.branch,
      outcome,
      selectMean,
      decision,
      effect,
      predicted,
      bottleneck: result.bottleneck,
      why,
    };
  });
  const promoted = branches.find(({ decision }) => decision === 'promote');
  return { branches, incumbent: promoted ? candidateOf(promoted.branch, input) : input.incumbent };
}

function judge(
  { failure, intervention }: BranchResult,
  screened: ScreenedBranch | null,
  verdict: ChallengerVerdict | null,
  outcome: EffectOutcome,
): Judgment {
  // Only the kind: the job's message may contain paths and host names, and hashed content must not.
  if (failure) return prune(`its job ended as ${failure.kind}`);
  if (screened === null) return keep('it was not screened');
  if (screened.verdict === 'reject') return prune(`refused by guard ${screened.guard}`);
  if (screened.verdict === 'no-decision') return keep(`not judged, by guard ${screened.guard}`);
  const measured = intervention === null ? 'it is the control' : describe(screened.effect);
  if (verdict?.verdict === 'promote') {
    return { decision: 'promote', why: `the gate lets it through; ${measured}` };
  }
  if (verdict?.verdict === 'no-decision')
    return keep(`the test gave no decision, by guard ${verdict.guard}`);
  if (verdict?.verdict === 'reject' && verdict.guard !== 'no-evidence') {
    return prune(`refused by guard ${verdict.guard}; ${measured}`);
  }
  if (outcome === 'regression') return prune(`worse than the control: ${measured}`);
  return verdict ? keep(`the test showed no gain over the incumbent; ${measured}`) : keep(measured);
}

const prune = (why: string): Judgment => ({ decision: 'prune', why });
const keep = (why: string): Judgment => ({ decision: 'keep', why });

function describe(effect: Interval | null): string {
  if (effect === null) return 'it has no measured difference from the control';
  const [mean, low, high] = [effect.mean, effect.low, effect.high].map((value) =>
    (100 * value).toFixed(1),
  );
  return `${mean} points from the control on SELECT (${low} to ${high}, ${effect.n} problems)`;
}

function candidateOf(
  branch: string,
  input: {
    readonly branches: readonly BranchResult[];
    readonly screened: readonly ScreenedBranch[];
    readonly verdict: ChallengerVerdict | null;
  },
): Candidate {
  const candidate = input.branches.find((one) => one.branch === branch)?.candidate;
  if (!candidate) throw new RangeError(`${branch} was promoted but has no checkpoint`);
  const selectMean = input.screened.find((one) => one.branch === branch)?.selectMean ?? null;
  return { ...candidate, selectMean, lostCategories: [...(input.verdict?.lostCategories ?? [])] };
}
