// What becomes of each branch: its outcome against the control, the decision on it, its promises scored.
import type { BodyOf, Candidate, Guard } from './schemas/ledger-entry.ts';
import type { Intervention } from './schemas/intervention.ts';
import type { EffectOutcome } from './gate/classify-effect.ts';
import type { ScreenedBranch } from './gate/verdict.ts';
import type { Interval } from './stats/intervals.ts';

type DecidedBody = Pick<BodyOf<'branches-decided'>, 'branches' | 'incumbent'>;
export type DecidedBranch = DecidedBody['branches'][number];
type Judgement = Pick<DecidedBranch, 'decision' | 'why'>;

export interface BranchResult {
  readonly branch: string;
  /** Null for the control. */
  readonly intervention: Pick<Intervention, 'predicted'> | null;
  /** Why its job failed; null where it trained. */
  readonly failure: { readonly kind: string } | null;
  /** Null where it failed. */
  readonly candidate: Candidate | null;
  /** That its own health report names. */
  readonly bottleneck: string | null;
  /** Metric by name: difference from the control's value; null = not measurable. */
  readonly observed: Readonly<Record<string, number | null>>;
}

/** How the one challenger fared; the guard's name and no number. */
export interface ChallengerVerdict {
  readonly branch: string;
  readonly verdict: 'promote' | 'reject' | 'no-decision';
  readonly guard: Guard | null;
  readonly lostCategories: readonly string[];
}

/** Promised effects against the observed differences from b0. A hit has the direction and lies in the interval, if one was given. */
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
 * The decision on every branch and the incumbent after it. Sentences name guards and SELECT differences, nothing sealed,
 * because researchers read them. Throws RangeError where a branch was promoted that has no checkpoint.
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
): Judgement {
  // A message of the job may name paths and machines, which nothing under the ledger's hash may hold.
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

const prune = (why: string): Judgement => ({ decision: 'prune', why });
const keep = (why: string): Judgement => ({ decision: 'keep', why });

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
