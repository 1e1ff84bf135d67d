// A recipe and its change as SQL over `t`, which every kind of replay uses. The trainer computes rewards and filters
// with the same expressions in the same engine.
import type { Recipe } from '../schemas/recipe.ts';
import type { ClusteredMean } from '../stats/intervals.ts';
import type { Figures, RecipeChange, ReplayKind } from './replay-kind.ts';

/** Below it the trainer treats the rewards of a group as equal (grpo.py). */
const ZERO_STD = 1e-6;
/** Below it a group is called dead (EvoTrainer release, skills/harness/agentic-rl-harness.md, metric 1.4). */
const DEAD = 1e-3;

/** Branches of a generation play the same groups, so a GRPO group is a group id with a policy. */
const GROUP = "policy_sha256 || '/' || group_id";

export const column = (feature: string): string => `coalesce("${feature}"::DOUBLE, 0)`;

/** The same as hooks/overlong.py of the trainer. */
export const overlongSql = (overlong: Recipe['reward']['overlong']): string =>
  overlong === null
    ? '0'
    : `(${overlong.factor}) * greatest(-1, least(0,
      (max_tokens - ${overlong.buffer_tokens} - token_count) / ${overlong.buffer_tokens}))`;

const rewardSql = ({ reward }: Recipe): string =>
  [
    ...reward.components.map(({ feature, weight }) => `(${weight}) * ${column(feature)}`),
    overlongSql(reward.overlong),
  ].join(' + ');

/** The trajectories that a recipe removes from baseline and loss, like hooks/dual_level.py; null = none. */
export function anomalySql({ filter }: Pick<Recipe, 'filter'>): string | null {
  const { trajectories, dual_level: dual } = filter;
  const failed = (outcome: string): string =>
    `(${outcome}.verdict = 'grader_error' OR ${outcome}.error_kind = 'infrastructure')`;
  const drops = [
    ...trajectories.map((name) => `"${name}"`),
    ...(dual?.truncated === true ? ['truncated'] : []),
    ...(dual?.over_length == null ? [] : [`token_count >= ${dual.over_length} * max_tokens`]),
    ...(dual?.judge_errors === true ? [failed('visible'), failed('hidden')] : []),
  ];
  return drops.length === 0
    ? null
    : `(${drops.map((drop) => `coalesce(${drop}, FALSE)`).join(' OR ')})`;
}

/** Groups with a smaller standard deviation are always dropped; 0 = no group is dropped. */
export function groupFloor({ filter }: Pick<Recipe, 'filter'>): number {
  const { zero_variance_groups, std_group, dual_level } = filter;
  return Math.max(
    zero_variance_groups ? ZERO_STD : 0,
    ...[std_group, dual_level?.groups ?? null].flatMap((one) =>
      one === null ? [] : [Math.max(one.min_std, ZERO_STD)],
    ),
  );
}

/**
 * Two relations. `scored` has one row per trajectory: group `g` and task, oracle score `o` (null without a label), the
 * best known score `p`, and for the recipe before and after (0, 1) the reward `r`, whether it counts in the group's
 * baseline `b` and may enter the loss `l`, and the kinds' own columns. `grouped` has one row per group: standard
 * deviation `s`, mean `m`, whether it is dead `d`, and how many of its trajectories may enter the loss `n`.
 */
function archiveRelations(
  { before, after }: RecipeChange,
  columns: Readonly<Record<string, string>>,
): string {
  const keeps = (recipe: Recipe): string => {
    const drop = anomalySql(recipe);
    return drop === null ? 'TRUE' : `NOT ${drop}`;
  };
  const enters = (recipe: Recipe): string =>
    recipe.filter.truncated === 'keep' ? keeps(recipe) : `${keeps(recipe)} AND NOT truncated`;
  const own = Object.entries(columns).map(([name, sql]) => `,\n    ${sql} AS "${name}"`);
  return `WITH scored AS MATERIALIZED (
  SELECT ${GROUP} AS g, task_id, trajectory_id, oracle_score AS o,
    coalesce(oracle_score, hidden.score, visible.score) AS p,
    round(${rewardSql(before)}, 9) AS r0, round(${rewardSql(after)}, 9) AS r1,
    ${keeps(before)} AS b0, ${keeps(after)} AS b1,
    ${enters(before)} AS l0, ${enters(after)} AS l1${own.join('')}
  FROM t LEFT JOIN (SELECT trajectory_id, oracle_score FROM labels) USING (trajectory_id)
),
grouped AS MATERIALIZED (
  SELECT *, n0 < 2 OR s0 < ${DEAD} AS d0, n1 < 2 OR s1 < ${DEAD} AS d1 FROM (
    SELECT g, min(task_id) AS task_id, count(*) FILTER (l0) AS n0, count(*) FILTER (l1) AS n1,
      coalesce(stddev_pop(r0) FILTER (b0), 0) AS s0, coalesce(stddev_pop(r1) FILTER (b1), 0) AS s1,
      avg(r0) FILTER (b0) AS m0, avg(r1) FILTER (b1) AS m1, max(p) AS best, min(p) AS worst
    FROM scored GROUP BY g
  )
)`;
}

/** The figures of every kind in one query with one row: one struct per kind, named after it. */
export function replayQuery(kinds: readonly ReplayKind[], change: RecipeChange): string {
  const columns = Object.assign({}, ...kinds.map((kind) => kind.columns(change)));
  const structs = kinds.map(
    (kind) => `(SELECT figures FROM (${kind.query(change)}) AS figures) AS "${kind.kind}"`,
  );
  return `${archiveRelations(change, columns)}\nSELECT ${structs.join(',\n')}`;
}

/** One row with mean, standard deviation and count of the task means of a value, and the samples per task. */
export const taskMeansSql = (name: string, value: string, relation: string): string =>
  `(SELECT avg(m) AS ${name}, coalesce(stddev_samp(m), 0) AS ${name}_sd,
      count(*) AS ${name}_tasks, avg(k) AS ${name}_samples
    FROM (SELECT avg(${value}) AS m, count(${value}) AS k FROM ${relation} GROUP BY task_id)
    WHERE m IS NOT NULL)`;

/** The result of taskMeansSql under that name. */
export const clustered = (figures: Figures, name: string): ClusteredMean => ({
  mean: at(figures, name),
  sd: at(figures, `${name}_sd`),
  n: at(figures, `${name}_tasks`),
  samples: at(figures, `${name}_samples`),
});

/** A required figure; 0 if it is missing. */
export const at = (figures: Figures, name: string): number => figures[name] ?? 0;
