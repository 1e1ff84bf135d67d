// Checks whether a new reward component adds information. It is measured inside groups, because the group's mean is
// subtracted and a constant cancels.
import { clusteredShare } from '../stats/intervals.ts';
import { percent } from '../stats/percent.ts';
import { at, clustered, column, taskMeansSql } from './archive-query.ts';
import {
  type Figures,
  PROOF_LEVEL,
  type ReplayReading,
  type RecipeChange,
  type ReplayKind,
} from './replay-kind.ts';
import { keptComponents, newComponents } from './recipe-change.ts';

/**
 * A bonus that nearly all trajectories earn is a constant (D5; EvoTrainer release, v5 analysis: about 99 % earn SBE and
 * ETT).
 */
const COVERAGE_MAX = 0.95;
/** Share of groups in which a bonus must differ to be worth a branch. */
const VARYING_MIN = 0.2;

export const orthogonality: ReplayKind = {
  kind: 'orthogonality',
  appliesTo: (change) => newComponents(change).length > 0 && keptComponents(change).length > 0,
  columns: (change) =>
    Object.fromEntries([
      ...newComponents(change).map(({ feature, to }, index) => [
        `new_${index}`,
        `(${to}) * ${column(feature)}`,
      ]),
      ...keptComponents(change).map((feature, index) => [`old_${index}`, column(feature)]),
    ]),
  query: (change) => {
    const parts = newComponents(change).map((_, index) => componentQuery(index, change));
    return `SELECT * FROM ${parts.join('\nCROSS JOIN ')}`;
  },
  read: (figures, change) => ({
    figures,
    summary: newComponents(change)
      .map(({ feature }, index) => `${feature} ${componentText(figures, index, change)}`)
      .join('; '),
    rejected: rejectionOf(figures, change),
  }),
};

/** Pearson's correlation of deviations from the group's mean, over all trajectories; null if one never varies. */
function componentQuery(index: number, change: RecipeChange): string {
  const own = `new_${index}`;
  const deviation = (value: string): string => `${value} - avg(${value}) OVER (PARTITION BY g)`;
  const others = keptComponents(change).map((_, other) => `old_${other}`);
  const centered = `(SELECT g, task_id, ${[own, ...others, 'r0']
    .map((value) => `${deviation(value)} AS ${value}`)
    .join(', ')} FROM scored WHERE b1)`;
  const labeled = `(SELECT ${deviation(own)} AS ${own}, ${deviation('o')} AS o
    FROM scored WHERE b1 AND o IS NOT NULL)`;
  const correlation = (other: string): string =>
    `round(sum(${own} * ${other}) / nullif(sqrt(sum(${own} * ${own}) * sum(${other} * ${other})), 0), 9)`;
  const groups = `(SELECT min(task_id) AS task_id, (max(${own}) - min(${own}) > 1e-9)::INTEGER AS v
    FROM scored WHERE b1 GROUP BY g)`;
  return `(SELECT ${[
    ...others.map((other) => `${correlation(other)} AS ${own}_with_${other}`),
    `sum(${own} * ${own}) / nullif(sum(${own} * ${own}) + sum(r0 * r0), 0) AS ${own}_variance`,
  ].join(', ')} FROM ${centered})
CROSS JOIN (SELECT ${correlation('o')} AS ${own}_with_truth FROM ${labeled})
CROSS JOIN ${taskMeansSql(`${own}_coverage`, `(${own} <> 0)::INTEGER`, '(SELECT * FROM scored WHERE b1)')}
CROSS JOIN ${taskMeansSql(`${own}_varying`, 'v', groups)}`;
}

function componentText(figures: Figures, index: number, change: RecipeChange): string {
  const own = `new_${index}`;
  const correlation = (name: string): string => {
    const r = figures[name] ?? null;
    return r === null ? 'not measurable' : r.toFixed(2);
  };
  const others = keptComponents(change).map(
    (feature, other) => `${correlation(`${own}_with_old_${other}`)} with ${feature}`,
  );
  return (
    `varies in ${percent(at(figures, `${own}_varying`))} of groups and counts for ${percent(at(figures, `${own}_coverage`))} of trajectories; ` +
    `correlation inside groups ${others.join(', ')}, ${correlation(`${own}_with_truth`)} with the truth`
  );
}

/** Only a bonus is refused for being constant: a penalty may be meant for a few trajectories. */
function rejectionOf(figures: Figures, change: RecipeChange): ReplayReading['rejected'] {
  for (const [index, { feature, to }] of newComponents(change).entries()) {
    const coverage = clusteredShare(clustered(figures, `new_${index}_coverage`), PROOF_LEVEL, 1);
    const varying = clusteredShare(clustered(figures, `new_${index}_varying`), PROOF_LEVEL, 1);
    if (to > 0 && coverage.low > COVERAGE_MAX && varying.high < VARYING_MIN) {
      return `${feature} is earned by ${percent(coverage.mean)} of archived trajectories and differs in ${percent(varying.mean)} of groups: a constant, which the group baseline cancels`;
    }
  }
  return null;
}
