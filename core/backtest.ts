// What a changed reward or filter would have made of archived trajectories: rejects what provably kills the signal, and
// ranks the rest. A filter, never a promotion.
import type { Intervention } from './schemas/intervention.ts';
import type { Recipe } from './schemas/recipe.ts';
import { type Estimate, posterior } from './stats/shrinkage.ts';

/** One recipe's reward and filter over the archive. Shares are null where nothing carries a label. */
export interface Rescored {
  readonly groups: number;
  readonly zeroVarianceShare: number;
  readonly keptShare: number;
  readonly rewardMean: number | null;
  /** Pairs of one group that the reward ranks against the oracle, as a share of pairs on which the oracle differs. */
  readonly orderViolations: number | null;
  /** Groups whose best-paid rollout is oracle-invalid although a valid one was there. */
  readonly bestInvalidShare: number | null;
  /** Mean oracle score of the best-paid rollouts: what choosing by this reward would yield. */
  readonly bestOracleMean: number | null;
  readonly bestOracleSe: number | null;
}

export interface BacktestOutcome {
  readonly id: string;
  readonly before: Rescored | null;
  /** Null where the archive cannot tell: needs a branch. */
  readonly after: Rescored | null;
  readonly expected: Estimate;
  readonly rejected: string | null;
}

const ZERO_VARIANCE_MAX = 0.95;
/** A filter that keeps less starves training: EvoTrainer release, ANALYSIS_PLAYBOOK.md 4.1, dimension 5. */
const KEPT_MIN = 0.3;
const ORDER_MARGIN = 0.01;
/** What an archive of the old policy cannot know of a policy that a new reward shapes, in score. */
const MODEL_SD = 0.1;

/** Reward and trajectory filters can be replayed; what changes sampling, tasks or updates cannot. */
export const isBacktestable = (intervention: Pick<Intervention, 'patch'>): boolean =>
  intervention.patch.every(({ path }) =>
    ['/reward', '/filter/trajectories', '/filter/truncated'].some(
      (own) => path === own || path.startsWith(`${own}/`),
    ),
  );

/** Why the archive speaks against it, or null. */
export function rejectionOf(before: Rescored, after: Rescored): string | null {
  const worse = (now: number | null, then: number | null): boolean =>
    now !== null && then !== null && now > then + ORDER_MARGIN;
  if (
    after.zeroVarianceShare > ZERO_VARIANCE_MAX &&
    after.zeroVarianceShare > before.zeroVarianceShare
  ) {
    return `${percent(after.zeroVarianceShare)} of archived groups would have no variance, ${percent(before.zeroVarianceShare)} have none now`;
  }
  if (after.keptShare < KEPT_MIN && after.keptShare < before.keptShare) {
    return `only ${percent(after.keptShare)} of archived trajectories would enter the loss`;
  }
  if (worse(after.orderViolations, before.orderViolations)) {
    return `ranks ${percent(after.orderViolations ?? 0)} of pairs against the oracle, ${percent(before.orderViolations ?? 0)} now`;
  }
  if (worse(after.bestInvalidShare, before.bestInvalidShare)) {
    return `in ${percent(after.bestInvalidShare ?? 0)} of groups the best-paid rollout is invalid, ${percent(before.bestInvalidShare ?? 0)} now`;
  }
  return null;
}

/** The operator's promise, moved by what the archive shows, as far as an archive of the old policy may be believed. */
export function expectedGain(
  prior: Estimate,
  before: Rescored | null,
  after: Rescored | null,
): Estimate {
  const [then, now] = [before?.bestOracleMean ?? null, after?.bestOracleMean ?? null];
  if (then === null || now === null) return prior;
  const se = Math.hypot(before?.bestOracleSe ?? 0, after?.bestOracleSe ?? 0, MODEL_SD);
  return posterior(prior, [{ mean: now - then, se }]);
}

/** A human's first, then by expected gain, then as proposed; at most `count`. The rest lost their place, and are told so. */
export function rankSurvivors(
  outcomes: readonly BacktestOutcome[],
  interventions: readonly Intervention[],
  count: number,
): { survivors: string[]; rejected: { id: string; why: string }[] } {
  const proposers = new Map(interventions.map(({ id, proposer }) => [id, proposer]));
  const isHuman = ({ id }: BacktestOutcome): number => (proposers.get(id) === 'human' ? 0 : 1);
  const ranked = outcomes
    .filter(({ rejected }) => rejected === null)
    .toSorted(
      (left, right) => isHuman(left) - isHuman(right) || right.expected.mean - left.expected.mean,
    );
  const rejected = outcomes.flatMap(({ id, rejected: why }) => (why === null ? [] : [{ id, why }]));
  const late = ranked.slice(count).map(({ id, expected }) => ({
    id,
    why: `expected gain ${expected.mean.toFixed(3)}: ${count} others promise more`,
  }));
  return {
    survivors: ranked.slice(0, count).map(({ id }) => id),
    rejected: [...rejected, ...late],
  };
}

/** Branches of a generation play the same groups; only with the policy is a group one GRPO group. */
const GROUP = "policy_sha256 || '/' || group_id";

/** What hooks/overlong.py of the trainer computes. */
const overlongSql = ({ buffer_tokens, factor }: { buffer_tokens: number; factor: number }) =>
  `(${factor}) * greatest(-1, least(0, (max_tokens - ${buffer_tokens} - token_count) / ${buffer_tokens}))`;

/** A recipe's reward and keep rule as SQL over `t`, whose feature columns bear the features' names. */
export function rescoringQuery(sets: string, recipe: Recipe, hasLabels: boolean): string {
  const { components, overlong } = recipe.reward;
  const reward = [
    ...components.map(({ feature, weight }) => `(${weight}) * coalesce("${feature}"::DOUBLE, 0)`),
    ...(overlong === null ? [] : [overlongSql(overlong)]),
  ].join(' + ');
  const drops = [
    ...recipe.filter.trajectories.map((name) => `coalesce("${name}", FALSE)`),
    ...(recipe.filter.truncated === 'keep' ? [] : ['truncated']),
  ];
  const keep = drops.length === 0 ? 'TRUE' : `NOT (${drops.join(' OR ')})`;
  const oracle = hasLabels ? 'oracle_score' : 'NULL::DOUBLE';
  const source = hasLabels
    ? 't LEFT JOIN (SELECT trajectory_id, oracle_score FROM labels) USING (trajectory_id)'
    : 't';
  return `${sets},
scored AS MATERIALIZED (
  SELECT ${GROUP} AS group_id, trajectory_id, round(${reward}, 9) AS r, ${keep} AS keep,
    ${oracle} AS o
  FROM ${source}
),
grouped AS (
  SELECT group_id, count(*) FILTER (keep) AS kept, stddev_pop(r) FILTER (keep) AS s
  FROM scored GROUP BY group_id
),
best AS (
  SELECT group_id, avg(o) AS o, max(top) AS top FROM (
    SELECT group_id, o, r,
      max(r) OVER (PARTITION BY group_id) AS m, max(o) OVER (PARTITION BY group_id) AS top
    FROM scored WHERE keep AND o IS NOT NULL
  ) WHERE r = m GROUP BY group_id
),
pairs AS (
  SELECT count(*) AS k, count(*) FILTER ((a.o - b.o) * (a.r - b.r) < 0) AS bad
  FROM scored a JOIN scored b ON a.group_id = b.group_id AND a.trajectory_id < b.trajectory_id
  WHERE a.keep AND b.keep AND a.o <> b.o
)
SELECT
  (SELECT count(*) FROM grouped) AS groups,
  (SELECT avg((kept < 2 OR s < 1e-3)::INTEGER) FROM grouped) AS zero_variance_share,
  (SELECT avg(keep::INTEGER) FROM scored) AS kept_share,
  (SELECT avg(r) FROM scored) AS reward_mean,
  (SELECT bad / nullif(k, 0) FROM pairs) AS order_violations,
  (SELECT avg((o < 0.5 AND top = 1)::INTEGER) FROM best) AS best_invalid_share,
  (SELECT avg(o) FROM best) AS best_oracle_mean,
  (SELECT stddev_samp(o) / sqrt(count(*)) FROM best) AS best_oracle_se`;
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
