// Guard 4: is the challenger better? A betting e-process over fresh paired problems, and a bound on each category's
// loss.
import type { SealedResult } from '../schemas/trajectory.ts';
import { type EProcess, foldEProcessAll, isRejected, startEProcess } from '../stats/e-process.ts';
import { GUARD_LEVEL, type Interval, meanInterval, summarize } from '../stats/intervals.ts';
import {
  CHALLENGER,
  rowFault,
  findUnpaired,
  INCUMBENT,
  taskMeans,
  type TaskRows,
  tasksOf,
} from './rows.ts';

/** The largest loss of a category that a promotion may cause, in score units. */
const CATEGORY_MARGIN = 0.05;

/** The size of one test of the gate, by the campaign's config. */
export interface PromotionPlan {
  readonly tasks: number;
  readonly samples: number;
  /** Problems per category, those of PROMOTION included. */
  readonly categoryTasks: number;
}

export const promotionStream = (test: number): string => `promotion/${test}`;
export const categoryStream = (test: number, category: string): string =>
  `category/${test}/${category}`;

/** A paired set: both policies played each of its tasks. */
interface Pair {
  readonly challenger: TaskRows;
  readonly incumbent: TaskRows;
}

export interface PairedPromotion {
  readonly main: Pair;
  /** The extra problems beyond PROMOTION, by category, ascending; empty if PROMOTION has enough. */
  readonly extras: ReadonlyMap<string, Pair>;
}

export interface CategoryLoss {
  readonly category: string;
  readonly mean: number;
  /** One-sided 95 % lower bound of E d given the category. */
  readonly low: number;
  readonly n: number;
  readonly holds: boolean;
}

const truth = (row: SealedResult): number => row.true_score;

/** Differences of scores are in −1…1, so the bounds of their mean are too, even where one problem gives no bound. */
const bounded = (interval: Interval): Interval => ({
  ...interval,
  low: Math.max(-1, interval.low),
  high: Math.min(1, interval.high),
});

/**
 * d_i = mean_k s(challenger,i,k) − mean_k s(incumbent,i,k), in item order. Paired after Miller (2024),
 * arXiv:2411.00640.
 */
export function differencesOf({ challenger, incumbent }: Pair): number[] {
  const other = taskMeans(incumbent, truth);
  return taskMeans(challenger, truth).map((mean, index) => mean - (other[index] ?? Number.NaN));
}

const categoryOf = (samples: readonly SealedResult[]): string => samples[0]?.category ?? '';

const within = (tasks: TaskRows, category: string): TaskRows =>
  new Map([...tasks].filter(([, samples]) => categoryOf(samples) === category));

function pairOf(rows: readonly SealedResult[]): Pair {
  return { challenger: tasksOf(rows, CHALLENGER), incumbent: tasksOf(rows, INCUMBENT) };
}

function findPairFault(
  pair: Pair,
  stream: string,
  tasks: number | null,
  samples: number,
): string | null {
  const plan = { stream, tasks, samples };
  return (
    rowFault(CHALLENGER, pair.challenger, plan) ??
    rowFault(INCUMBENT, pair.incumbent, plan) ??
    findUnpaired(pair.challenger, pair.incumbent, stream)
  );
}

/** The rows of test `test`, complete and paired, or a sentence with the reason why they are not. */
export function pairPromotion(
  rows: readonly SealedResult[],
  test: number,
  plan: PromotionPlan,
): PairedPromotion | { readonly fault: string } {
  const byStream = Map.groupBy(rows, ({ stream }) => stream);
  const main = pairOf(byStream.get(promotionStream(test)) ?? []);
  const fault = findPairFault(main, promotionStream(test), plan.tasks, plan.samples);
  if (fault) return { fault };
  const categories = new Set(rows.map(({ category }) => category));
  const known = new Set([
    promotionStream(test),
    ...[...categories].map((one) => categoryStream(test, one)),
  ]);
  const stray = rows.find(
    ({ stream, policy }) => !known.has(stream) || (policy !== CHALLENGER && policy !== INCUMBENT),
  );
  if (stray)
    return { fault: `a row of ${stray.policy} on ${stray.stream} does not belong to test ${test}` };
  const extras = new Map<string, Pair>();
  for (const category of [...categories].toSorted()) {
    const stream = categoryStream(test, category);
    const pair = pairOf(byStream.get(stream) ?? []);
    const wrong = findPairFault(pair, stream, null, plan.samples);
    if (wrong) return { fault: wrong };
    if (within(pair.challenger, category).size !== pair.challenger.size) {
      return { fault: `${stream} has a task of another category` };
    }
    const count = pair.challenger.size + within(main.challenger, category).size;
    if (count < plan.categoryTasks) {
      return {
        fault: `category ${category} has ${count} of ${plan.categoryTasks} planned problems`,
      };
    }
    extras.set(category, pair);
  }
  return { main, extras };
}

export interface Evidence {
  readonly process: EProcess;
  /** Two-sided 95 %, over PROMOTION alone. */
  readonly difference: Interval;
  /**
   * The wealth reached 1/alpha, and the mean of the whole set exceeds delta0. The second condition costs no validity
   * and prevents the same rows from promoting both A over B and B over A.
   */
  readonly isBetter: boolean;
  readonly categories: readonly CategoryLoss[];
}

/** Computes the evidence from complete, paired rows. The extra problems stay outside the e-process. */
export function weigh({ main, extras }: PairedPromotion, alpha: number, delta0: number): Evidence {
  const differences = differencesOf(main);
  const process = foldEProcessAll(startEProcess(delta0), differences);
  const difference = bounded(meanInterval(summarize(differences)));
  const categories = [...extras].map(([category, pair]): CategoryLoss => {
    const own = {
      challenger: within(main.challenger, category),
      incumbent: within(main.incumbent, category),
    };
    const all = [...differencesOf(own), ...differencesOf(pair)];
    const { mean, low, n } = bounded(meanInterval(summarize(all), GUARD_LEVEL, 1));
    return { category, mean, low, n, holds: low > -CATEGORY_MARGIN };
  });
  const isBetter = isRejected(process, alpha) && difference.mean > delta0;
  return { process, difference, isBetter, categories };
}

/** Paired difference of true scores from the control on SELECT, in total and per category. */
export function effectFromControl(
  branch: TaskRows,
  control: TaskRows,
): { readonly effect: Interval; readonly categories: Readonly<Record<string, Interval>> } {
  const pair = { challenger: branch, incumbent: control };
  const names = [...new Set([...branch.values()].map(categoryOf))].toSorted();
  // Bonferroni over the categories: with four of them at 95 %, one branch in six would look mixed by chance.
  const level = 1 - (1 - GUARD_LEVEL) / Math.max(1, names.length);
  const categories = names.map((category): [string, Interval] => {
    const own = { challenger: within(branch, category), incumbent: within(control, category) };
    return [category, bounded(meanInterval(summarize(differencesOf(own)), level))];
  });
  return {
    effect: bounded(meanInterval(summarize(differencesOf(pair)))),
    categories: Object.fromEntries(categories),
  };
}
