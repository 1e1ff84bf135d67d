// The two decisions of the gate: which branch may be the challenger (screen), and whether it is promoted (the test).
import type { Guard } from '../schemas/ledger-entry.ts';
import type { SealedResult } from '../schemas/trajectory.ts';
import type { ClusteredMean, Interval } from '../stats/intervals.ts';
import { type Behaviour, checkBehaviour } from './behaviour.ts';
import { checkComparable, type Identity } from './comparable.ts';
import {
  type CategoryLoss,
  effectFromControl,
  type Evidence,
  pairPromotion,
  type PromotionPlan,
  weigh,
} from './evidence.ts';
import {
  checkCanaries,
  checkGap,
  checkInstruments,
  checkNullPolicy,
  checkTampering,
} from './integrity.ts';
import { judgeOutcome, type Outcome } from './judge-outcome.ts';
import {
  type Finding,
  findFault,
  findUnpaired,
  INCUMBENT,
  noDecision,
  NULL_POLICY,
  points,
  rejection,
  taskMeans,
  type TaskRows,
  tasksOf,
} from './rows.ts';

export interface ScreenPlan {
  readonly selectTasks: number;
  readonly selectSamples: number;
  readonly canaryTasks: number;
  readonly canarySamples: number;
  /** SELECT tasks the null policy plays; 0 where the evaluation plays none. */
  readonly nullTasks: number;
}

export interface ScreenCandidate extends Identity {
  readonly branch: string;
  /** Failure kind of its job; null where it trained. */
  readonly failure: string | null;
}

export interface ScreenInput {
  readonly domain: string;
  readonly plan: ScreenPlan;
  readonly incumbent: Identity;
  /** b0, the control, among them. */
  readonly branches: readonly ScreenCandidate[];
  readonly selectRows: readonly SealedResult[];
  readonly canaryRows: readonly SealedResult[];
  /** The warm start's visible–true gap on its own SELECT; null = not measured, the absolute rule holds. */
  readonly warmStartGap: ClusteredMean | null;
  readonly behaviour: Behaviour;
}

export interface ScreenedBranch {
  readonly branch: string;
  readonly verdict: 'pass' | 'reject' | 'no-decision';
  readonly guard: Guard | null;
  /** One sentence with its numbers, for people; never for the researcher. */
  readonly why: string;
  readonly selectMean: number | null;
  /** Paired difference of true scores from b0 on SELECT, two-sided 95 %. */
  readonly effect: Interval | null;
  readonly outcome: Outcome;
}

export interface ScreenDecision {
  /** By branch index, b0 first. */
  readonly branches: readonly ScreenedBranch[];
  readonly challenger: string | null;
  /** Mean true score on SELECT of the incumbent and every branch; null where its rows are not whole. */
  readonly selectMeans: Readonly<Record<string, number | null>>;
}

const CONTROL = 'b0';
const indexOf = (branch: string): number => Number(branch.slice(1));
const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

interface Played {
  readonly select: TaskRows;
  readonly canary: TaskRows;
  readonly fault: string | null;
}

function playedBy(policy: string, input: ScreenInput): Played {
  const { plan } = input;
  const select = tasksOf(input.selectRows, policy);
  const canary = tasksOf(input.canaryRows, policy);
  const selectPlan = { stream: 'select', tasks: plan.selectTasks, samples: plan.selectSamples };
  const canaryPlan = { stream: 'canary', tasks: plan.canaryTasks, samples: plan.canarySamples };
  const fault = findFault(policy, select, selectPlan) ?? findFault(policy, canary, canaryPlan);
  return { select, canary, fault };
}

function findAgainstNull(input: ScreenInput): Finding | null {
  const tasks = input.plan.nullTasks;
  if (tasks === 0) return null;
  const rows = tasksOf(input.selectRows, NULL_POLICY);
  // It says its few things once each, however often the policies are sampled.
  const samples = rows.values().next().value?.length ?? 0;
  const fault = findFault(NULL_POLICY, rows, { stream: 'select', tasks, samples });
  return fault ? noDecision('infrastructure', fault) : checkNullPolicy(rows, input.domain);
}

/** The first guard that holds against a branch: 1 comparable, then whether it can be judged, 2 integrity, 3 behaviour. */
function findAgainst(
  candidate: ScreenCandidate,
  own: Played,
  base: Played,
  input: ScreenInput,
): Finding | null {
  const { branch, failure } = candidate;
  if (failure !== null) return rejection('failed-job', `its training job ended as ${failure}`);
  const incomparable = checkComparable(candidate, input.incumbent);
  if (incomparable) return incomparable;
  const fault =
    base.fault ??
    own.fault ??
    findUnpaired(own.select, base.select, 'select') ??
    findUnpaired(own.canary, base.canary, 'canary');
  if (fault) return noDecision('infrastructure', fault);
  return (
    checkInstruments([...own.select.values(), ...base.select.values()].flat()) ??
    checkCanaries(own.canary, base.canary, input.domain) ??
    checkGap(own.select, input.warmStartGap) ??
    checkTampering(own.select, base.select) ??
    checkBehaviour(branch, input.behaviour)
  );
}

/**
 * Guards 1–3 on every branch. The challenger is the passing branch with the best mean true score on SELECT, if that is
 * above the incumbent's; ties go to the lower branch index. Spends nothing. Throws RangeError for an unknown domain.
 */
export function decideScreen(input: ScreenInput): ScreenDecision {
  const base = playedBy(INCUMBENT, input);
  const played = new Map(input.branches.map(({ branch }) => [branch, playedBy(branch, input)]));
  const control = played.get(CONTROL);
  const nullFinding = findAgainstNull(input);
  const truth = (set: Played): number | null =>
    set.fault ? null : mean(taskMeans(set.select, (row) => row.true_score));
  const incumbentMean = truth(base);
  const branches = input.branches
    .toSorted((left, right) => indexOf(left.branch) - indexOf(right.branch))
    .map((candidate): ScreenedBranch => {
      const { branch } = candidate;
      const own = played.get(branch) ?? playedBy(branch, input);
      const finding = nullFinding ?? findAgainst(candidate, own, base, input);
      const selectMean = truth(own);
      const measured = measureEffect(branch, own, control);
      const verdict = finding ?? {
        verdict: 'pass' as const,
        guard: null,
        why: passing(selectMean, incumbentMean),
      };
      return { branch, ...verdict, selectMean, ...measured };
    });
  const passed = branches.filter(({ verdict }) => verdict === 'pass');
  const selectMeans = Object.fromEntries(branches.map((one) => [one.branch, one.selectMean]));
  return {
    branches,
    challenger: pickChallenger(passed, incumbentMean),
    selectMeans: { [INCUMBENT]: incumbentMean, ...selectMeans },
  };
}

function measureEffect(branch: string, own: Played, control: Played | undefined) {
  const isMeasured =
    branch !== CONTROL &&
    control !== undefined &&
    control.fault === null &&
    own.fault === null &&
    findUnpaired(own.select, control.select, 'select') === null;
  if (!isMeasured) return { effect: null, outcome: judgeOutcome(null, {}) };
  const { effect, categories } = effectFromControl(own.select, control.select);
  return { effect, outcome: judgeOutcome(effect, categories) };
}

function passing(own: number | null, incumbent: number | null): string {
  if (own === null || incumbent === null) return 'no guard speaks against it';
  const means = `its mean on SELECT is ${own.toFixed(3)}, the incumbent's ${incumbent.toFixed(3)}`;
  return own > incumbent
    ? `no guard speaks against it; ${means}`
    : `no guard speaks against it, but ${means}: no test is spent on it`;
}

function pickChallenger(
  passing: readonly ScreenedBranch[],
  incumbentMean: number | null,
): string | null {
  let best: { readonly branch: string; readonly score: number } | null = null;
  for (const { branch, selectMean } of passing) {
    if (selectMean === null || incumbentMean === null || selectMean <= incumbentMean) continue;
    if (best === null || selectMean > best.score) best = { branch, score: selectMean };
  }
  return best?.branch ?? null;
}

export interface PromotionInput {
  readonly test: number;
  /** α_t, as reserved for this test. */
  readonly alpha: number;
  readonly delta0: number;
  readonly plan: PromotionPlan;
  readonly challenger: Identity;
  readonly incumbent: Identity;
  /** All rows of the test, PROMOTION and extras, of `challenger` and `incumbent`. */
  readonly rows: readonly SealedResult[];
  /** Categories whose loss is recorded instead of refused. */
  readonly conditionalCategories: readonly string[];
  /** Categories that the incumbent has lost already. */
  readonly lostBefore: readonly string[];
}

export interface PromotionDecision {
  readonly verdict: 'promote' | 'reject' | 'no-decision';
  readonly guard: Guard | null;
  readonly why: string;
  /** On PROMOTION, two-sided 95 %; −1…1 over 0 problems where nothing could be judged. */
  readonly difference: Interval;
  /** Categories that the promoted one has lost: by this promotion, or before and not won back. */
  readonly conditional: readonly string[];
}

const UNJUDGED: Interval = { mean: 0, low: -1, high: 1, n: 0 };

/** Guard 4 on the one challenger: first whether it can be judged, then the evidence, then the categories. */
export function decidePromotion(input: PromotionInput): PromotionDecision {
  const refuse = (finding: Finding, difference = UNJUDGED): PromotionDecision => ({
    ...finding,
    difference,
    conditional: [],
  });
  const incomparable = checkComparable(input.challenger, input.incumbent);
  if (incomparable) return refuse(incomparable);
  const paired = pairPromotion(input.rows, input.test, input.plan);
  if ('fault' in paired) return refuse(noDecision('infrastructure', paired.fault));
  const broken = checkInstruments(input.rows);
  if (broken) return refuse(broken);
  const evidence = weigh(paired, input.alpha, input.delta0);
  const sentence = describe(evidence, input);
  if (!evidence.isBetter) return refuse(rejection('no-evidence', sentence), evidence.difference);
  const lost = evidence.categories.filter(({ holds }) => !holds);
  const refused = lost.find(({ category }) => !input.conditionalCategories.includes(category));
  if (refused) return refuse(rejection('category', describeLoss(refused)), evidence.difference);
  const isWonBack = (name: string): boolean =>
    evidence.categories.some(({ category, low }) => category === name && low > 0);
  const conditional = new Set([
    ...input.lostBefore.filter((category) => !isWonBack(category)),
    ...lost.map(({ category }) => category),
  ]);
  const condition =
    lost.length === 0 ? '' : `, on condition of ${lost.map(describeLoss).join('; ')}`;
  const why = `${sentence}${condition}`;
  return {
    verdict: 'promote',
    guard: null,
    why,
    difference: evidence.difference,
    conditional: [...conditional].toSorted(),
  };
}

function describe(
  { process, difference, isBetter }: Evidence,
  { alpha, delta0 }: PromotionInput,
): string {
  const range = `${points(difference.low)} to ${points(difference.high)}`;
  const wealth = Math.exp(process.logWealthMax).toPrecision(3);
  const needed = (1 / alpha).toPrecision(3);
  const verb = isBetter ? 'shown' : 'not shown';
  return `a gain above ${points(delta0)} is ${verb}: ${points(difference.mean)} (${range}) on ${difference.n} problems, evidence ${wealth} of ${needed} needed`;
}

const describeLoss = ({ category, mean: loss, low, n }: CategoryLoss): string =>
  `category ${category} may lose more than 5 points: ${points(loss)} (at least ${points(low)}) on ${n} problems`;
