// A diagnostic gap: what happened that the harness cannot explain, tell apart, or act on. Computed from stored reports.
import type { Figure, Gap } from '../schemas/gap.ts';
import type { Finding, HealthReport, MetricValue } from '../schemas/harness.ts';

/** A change beyond this many half-widths of a 95 % interval, about three standard errors, is no noise. */
const JUMP_HALF_WIDTHS = 1.5;
/** From so many past changes on, a change must also leave three of their standard deviations behind. */
const HISTORY_MIN = 3;
const HISTORY_SDS = 3;
const PROXY_RISE = 0.03;
const TRUTH_RISE = 0.01;
/** A truth that rose by this share of the score's jump explains it. */
const EXPLAINING_SHARE = 0.5;
/** Above this true score there is little left to explain. */
const SOLVED = 0.95;
/** What the policy is paid, where no visible score is read. */
const PROXIES = ['visible_mean', 'reward_mean'];

/** The health report of one policy. */
export interface PolicyHealth {
  readonly policy: string;
  readonly generation: number;
  readonly report: HealthReport;
  readonly sha256: string | null;
}

/** One policy that came of another. */
export interface Transition {
  readonly before: PolicyHealth;
  readonly after: PolicyHealth;
  /** Whether both were paid by the same reward; else only scores that no recipe sets can be compared. */
  readonly isPaidAlike: boolean;
}

/** An operator that answers the bottleneck, and why it is no step to take; null = it is one. */
export interface Option {
  readonly operator: string;
  readonly rule: string;
  readonly against: string | null;
}

export interface GapInput {
  readonly now: PolicyHealth;
  /** Since the last revision, branches of the generation before first, the incumbent's own last. */
  readonly transitions: readonly Transition[];
  /** Changes of the proxy before those, oldest first. */
  readonly history: readonly number[];
  readonly options: readonly Option[];
}

/** All gaps there are, the most telling kind first; none where the harness suffices. */
export function findGaps(input: GapInput): Gap[] {
  const { now, transitions, history, options } = input;
  const unexplained = transitions.flatMap((transition) =>
    [divergenceOf(transition), jumpOf(transition, history)]
      .filter((gap) => gap !== null)
      .slice(0, 1),
  );
  return [
    ...unexplained,
    ...(unexplained.length > 0 ? [] : [noFindingOf(now)]),
    equalFindingsOf(now, options),
    exhaustionOf(now, options),
  ].filter((gap) => gap !== null);
}

const firedIn = ({ report }: PolicyHealth): Finding[] =>
  report.findings.filter(({ fired }) => fired === true);
const isExplained = (reading: PolicyHealth): boolean =>
  firedIn(reading).some(({ severity }) => severity === 'critical');
const valueOf = ({ report }: PolicyHealth, name: string): MetricValue | undefined =>
  report.values.find((value) => value.name === name && value.value !== null);

/** The proxy rose and the truth did not follow, beyond their intervals, and nothing critical fired on who shows it. */
function divergenceOf(transition: Transition): Gap | null {
  const { after } = transition;
  const [proxy, truth] = [proxyOf(transition), changeOf(transition, 'true_mean')];
  if (proxy === null || truth === null || isExplained(after)) return null;
  const parted = proxy.change - truth.change > Math.hypot(proxy.half, truth.half);
  if (!(proxy.change > PROXY_RISE && truth.change <= TRUTH_RISE && parted)) return null;
  return {
    kind: 'outcome-unexplained',
    trigger: 'proxy-truth-divergence',
    why: `${named(after)}: ${proxy.name} rose by ${points(proxy.change)} and the truth moved by ${points(truth.change)}, and no critical rule fired`,
    rules: [],
    figures: [...proxy.figures, ...truth.figures],
  };
}

/** The proxy moved by more than its interval and than history allows, and neither truth nor a critical rule says why. */
function jumpOf(transition: Transition, history: readonly number[]): Gap | null {
  const { after } = transition;
  const [proxy, truth] = [proxyOf(transition), changeOf(transition, 'true_mean')];
  if (proxy === null || proxy.half === 0 || isExplained(after)) return null;
  const limit = Math.max(JUMP_HALF_WIDTHS * proxy.half, historyLimit(history));
  if (Math.abs(proxy.change) <= limit) return null;
  if (truth !== null && truth.change / proxy.change >= EXPLAINING_SHARE) return null;
  return {
    kind: 'outcome-unexplained',
    trigger: 'score-jump',
    why: `${named(after)}: ${proxy.name} moved by ${points(proxy.change)} where ${points(limit)} is what history and chance allow, and no critical rule fired`,
    rules: [],
    figures: [...proxy.figures, ...(truth?.figures ?? [])],
  };
}

/** Mean and three standard deviations of the changes so far; nothing before there are enough of them. */
function historyLimit(history: readonly number[]): number {
  if (history.length < HISTORY_MIN) return 0;
  const mean = history.reduce((sum, value) => sum + value, 0) / history.length;
  const squares = history.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.abs(mean) + HISTORY_SDS * Math.sqrt(squares / (history.length - 1));
}

function noFindingOf(now: PolicyHealth): Gap | null {
  const truth = valueOf(now, 'true_mean');
  if (truth?.value == null || truth.value >= SOLVED || firedIn(now).length > 0) return null;
  return {
    kind: 'outcome-unexplained',
    trigger: 'no-finding',
    why: `no rule explains a true score of ${truth.value.toFixed(3)}`,
    rules: [],
    figures: [figureOf(now, truth)],
  };
}

/** Findings at one alert level whose evidence alarms alike and which call for other steps; only the order told them apart. */
function equalFindingsOf(now: PolicyHealth, options: readonly Option[]): Gap | null {
  const { bottleneck, findings } = now.report;
  const first = findings.find(({ rule }) => rule === bottleneck);
  if (first === undefined) return null;
  const equal = firedIn(now).filter(
    (rival) =>
      rival !== first &&
      rival.severity === first.severity &&
      alarmOf(now, rival) === alarmOf(now, first) &&
      !shareEvidence(rival, first) &&
      callForOthers(rival, first, options),
  );
  const [rival] = equal;
  if (rival === undefined) return null;
  const rules = [first, rival];
  return {
    kind: 'rivals-not-separable',
    trigger: 'equal-findings',
    why: `${rules.map(({ rule }) => rule).join(' and ')} are equally bad (${first.severity}), and no metric that they rest on tells which comes first`,
    rules: rules.map(({ rule }) => rule),
    figures: [...new Set(rules.flatMap(({ metrics }) => metrics))].flatMap((name) => {
      const value = valueOf(now, name);
      return value === undefined ? [] : [figureOf(now, value)];
    }),
  };
}

/** How sure the worst of its metrics alarms: 2 critical, 1 warning, 0 where an interval reaches back to health. */
const alarmOf = (now: PolicyHealth, { metrics }: Finding): number =>
  Math.max(
    0,
    ...metrics.map((name) => {
      const severity = valueOf(now, name)?.severity;
      return severity === 'critical' ? 2 : severity === 'warn' ? 1 : 0;
    }),
  );

/** Rules over the same metrics are one hypothesis in two words. */
const shareEvidence = (left: Finding, right: Finding): boolean =>
  left.metrics[0] === right.metrics[0];

/** Whether the next step differs: the first operator of each that is left. Where one has none, there is no choice. */
function callForOthers(rival: Finding, first: Finding, options: readonly Option[]): boolean {
  const [own, other] = [first, rival].map(({ rule }) =>
    options.find((option) => option.rule === rule && option.against === null),
  );
  return own !== undefined && other !== undefined && own.operator !== other.operator;
}

function exhaustionOf(now: PolicyHealth, options: readonly Option[]): Gap | null {
  const { bottleneck } = now.report;
  if (bottleneck === null) return null;
  const own = options.filter(({ rule }) => rule === bottleneck);
  if (own.some(({ against }) => against === null)) return null;
  const reasons = own.map(({ operator, against }) => `${operator}: ${against}`);
  return {
    kind: 'no-defensible-step',
    trigger: 'operators-exhausted',
    why:
      own.length === 0
        ? `no operator answers ${bottleneck}`
        : `no operator that answers ${bottleneck} is left (${reasons.join('; ')})`,
    rules: [bottleneck],
    figures: [
      {
        figure: 'operators that answer it',
        policy: now.policy,
        generation: now.generation,
        value: own.length,
        low: null,
        high: null,
        health: now.sha256,
      },
    ],
  };
}

interface Change {
  readonly name: string;
  readonly change: number;
  /** Of the interval of the change. */
  readonly half: number;
  readonly figures: Figure[];
}

/** A reward is compared only where both were paid by it. */
const proxyOf = (transition: Transition): Change | null =>
  PROXIES.filter((name) => name !== 'reward_mean' || transition.isPaidAlike)
    .map((name) => changeOf(transition, name))
    .find((change) => change !== null) ?? null;

/** Change of the proxy over a transition: what history is made of. Null where it was not measured on both. */
export const proxyChange = (transition: Transition): number | null =>
  proxyOf(transition)?.change ?? null;

function changeOf({ before, after }: Transition, name: string): Change | null {
  const [old, now] = [valueOf(before, name), valueOf(after, name)];
  if (old?.value == null || now?.value == null) return null;
  return {
    name,
    change: now.value - old.value,
    half: Math.hypot(halfWidth(old), halfWidth(now)),
    figures: [figureOf(before, old), figureOf(after, now)],
  };
}

const halfWidth = ({ low, high }: MetricValue): number =>
  low === null || high === null ? 0 : (high - low) / 2;

const figureOf = (reading: PolicyHealth, { name, value, low, high }: MetricValue): Figure => ({
  figure: name,
  policy: reading.policy,
  generation: reading.generation,
  value,
  low,
  high,
  health: reading.sha256,
});

const named = ({ policy, generation }: PolicyHealth): string =>
  `${policy} of generation ${generation}`;
const points = (value: number): string => value.toFixed(3);
