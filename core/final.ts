// FINAL: every policy of a campaign's lineage on tasks that nothing else has seen, once a namespace.
import { identityOf } from './gate/comparable.ts';
import {
  findFaults,
  rowFault,
  taskMeans,
  tasksOf,
  withoutFaults,
  type TaskRows,
} from './gate/rows.ts';
import { CONTROL } from './ids.ts';
import { type CampaignFold, recordedOf, trainedBranch } from './ledger-fold.ts';
import type { BodyOf } from './schemas/ledger-entry.ts';
import type { SealedFinding } from './schemas/sealed-figures.ts';
import type { SealedResult } from './schemas/trajectory.ts';
import { type Interval, meanInterval, summarize } from './stats/intervals.ts';
import { points } from './stats/percent.ts';
import { shrink, standardError, tauSquared } from './stats/shrinkage.ts';

/** Why a campaign whose FINAL was opened plays no generation. */
export const frozenText = (campaign: string): string =>
  `FINAL of ${campaign} was opened, so its head is frozen: evo report ${campaign} --sealed shows it; a campaign that goes on needs another name (--set name=…)`;

type Opening = BodyOf<'sealed-opened'>;
type FinalPolicy = Opening['policies'][number];

/** Both distributions: the campaign's own, and one that it never drew from. */
export const FINAL_SETS = { iid: 'FINAL_IID', shift: 'FINAL_SHIFT' } as const;
type FinalSet = keyof typeof FINAL_SETS;
const SETS: readonly FinalSet[] = ['iid', 'shift'];

/** The warm start as p0, each promoted policy as p1…, and as c1… the controls that trained beside them. */
export const finalPolicies = (fold: CampaignFold): FinalPolicy[] =>
  fold.lineage.flatMap(({ generation, branch, candidate }, index) => {
    const own = { name: `p${index}`, generation, branch, policy: candidate.policy };
    const control = trainedBranch(recordedOf(fold, generation), CONTROL)?.candidate?.policy;
    return branch === null || branch === CONTROL || control === undefined
      ? [own]
      : [own, { name: `c${index}`, generation, branch: CONTROL, policy: control }];
  });

/**
 * One finding for each policy. A promoted one has its gain over the policy before it, and the difference from its
 * control, which is the difference of both gains: what the recipe added to what training alone gained.
 */
export function weighFinal(
  rows: readonly SealedResult[],
  { policies, tasks, samples }: Opening,
  epoch: string,
): SealedFinding[] {
  const fault = findFault(rows, { policies, tasks, samples }, epoch);
  if (fault !== null) return [{ branch: 'p0', why: fault, figures: {} }];
  const sets = Object.fromEntries(SETS.map((set) => [set, scoresOf(rows, policies, set)]));
  return policies.map(({ name, generation, branch }) => {
    const index = Number(name.slice(1));
    const before = name === 'p0' || name.startsWith('c') ? null : `p${index - 1}`;
    const figures: Record<string, Interval> = {};
    for (const set of SETS) {
      const scores = sets[set] ?? new Map<string, number[]>();
      const own = scores.get(name) ?? [];
      figures[`score ${set}`] = intervalOf(own);
      const gain = before && differenceFrom(own, scores.get(before));
      if (gain) figures[`gain ${set}`] = gain;
      const control = before && differenceFrom(own, scores.get(`c${index}`));
      if (control) figures[`against control ${set}`] = control;
    }
    const [iid, shift] = [figures['gain iid'], figures['gain shift']];
    if (iid && shift) figures['gain shift minus iid'] = minus(shift, iid);
    const who = branch === null ? 'the warm start' : `${branch} of generation ${generation}`;
    return { branch: name, why: `${who}: ${sentence(figures)}`, figures };
  });
}

function sentence(figures: Readonly<Record<string, Interval>>): string {
  const said = Object.entries(figures).map(
    ([name, { mean, low, high }]) => `${name} ${points(mean)} (${points(low)} to ${points(high)})`,
  );
  return said.join(', ');
}

function findFault(
  rows: readonly SealedResult[],
  { policies, tasks, samples }: Pick<Opening, 'policies' | 'tasks' | 'samples'>,
  epoch: string,
): string | null {
  for (const { name, policy } of policies) {
    const candidate = { policy, recipe: policy, selectMean: null, lostCategories: [] };
    const identity = identityOf(rows, name, epoch, candidate);
    const foreign = identity.foreign ?? (identity.epoch === epoch ? null : 'rows of another epoch');
    if (foreign !== null) return `${foreign}, and not of ${name}`;
    for (const stream of Object.values(FINAL_SETS)) {
      const own = rows.filter((row) => row.policy === name && row.stream === stream);
      const fault =
        rowFault(name, tasksOf(own, name), { stream, tasks, samples }) ?? findFaults(name, own);
      if (fault !== null) return fault;
    }
  }
  return null;
}

/** One mean a task, of each policy; a task on which one met an infrastructure error is left out for all. */
function scoresOf(
  rows: readonly SealedResult[],
  policies: Opening['policies'],
  set: FinalSet,
): ReadonlyMap<string, number[]> {
  const own = rows.filter(({ stream }) => stream === FINAL_SETS[set]);
  const played: TaskRows[] = withoutFaults(policies.map(({ name }) => tasksOf(own, name)));
  return new Map(
    policies.map(({ name }, index) => [
      name,
      taskMeans(played[index] ?? new Map(), (row) => row.true_score),
    ]),
  );
}

/** Standard deviation of the gains of promotions, as far as nothing is known of a campaign's own. */
const GAIN_SD = 0.03;

/** Selected gains are too high; each is shrunk toward 0 by the spread of all tested ones. */
export function shrunkenGains(gains: readonly Interval[]): number[] {
  const estimates = gains.map((gain) => ({ mean: gain.mean, se: standardError(gain) }));
  const tau2 = Math.max(GAIN_SD ** 2, tauSquared(estimates));
  return estimates.map(({ mean, se }) => shrink(mean, se, tau2));
}

const differenceFrom = (
  own: readonly number[],
  base: readonly number[] | undefined,
): Interval | null =>
  base === undefined
    ? null
    : intervalOf(own.map((value, index) => value - (base[index] ?? Number.NaN)));

/** Scores and their differences are in −1…1, so their bounds are too, even where one task gives no bound. */
function intervalOf(values: readonly number[]): Interval {
  const { low, high, ...rest } = meanInterval(summarize(values));
  return { ...rest, low: Math.max(-1, low), high: Math.min(1, high) };
}

/** Of two sets that share no task. */
function minus(left: Interval, right: Interval): Interval {
  const mean = left.mean - right.mean;
  const half = Math.hypot(left.high - left.mean, right.high - right.mean);
  return { mean, low: mean - half, high: mean + half, n: Math.min(left.n, right.n) };
}
