// Measures the share of honest successes that a new filter or penalty would drop or pay less.
import { clusteredShare, meanDifference } from '../stats/intervals.ts';
import { percent } from '../stats/percent.ts';
import { at, clustered, column, overlongSql, taskMeansSql } from './archive-query.ts';
import {
  type Figures,
  PROOF_LEVEL,
  type ReplayReading,
  type RecipeChange,
  type ReplayKind,
} from './replay-kind.ts';
import { isOverlongStronger, isTrajectoryRuleNew, newDropSql, penalties } from './recipe-change.ts';

/**
 * A rule that cost 6 to 17 % of the successes was rejected, one that cost 3 to 5 % was accepted (EvoTrainer release,
 * skills/domain/swe/training_9b.md, truncation backtests).
 */
const HARM_MAX = 0.05;

const isPenalty = (change: RecipeChange): boolean =>
  penalties(change).length > 0 || isOverlongStronger(change);

export const ruleHarm: ReplayKind = {
  kind: 'rule-harm',
  appliesTo: (change) => isPenalty(change) || isTrajectoryRuleNew(change),
  columns: (change) => ({ harm_pay: paySql(change), harm_drop: newDropSql(change) }),
  query: () => {
    const hit = '(harm_drop OR harm_pay < -1e-9)::INTEGER';
    const of = (condition: string): string => `(SELECT * FROM scored WHERE b0 AND ${condition})`;
    return `SELECT * FROM (
  SELECT count(*) FILTER (o = 1) AS honest, count(*) FILTER (o < 1) AS others,
    avg(harm_pay) FILTER (o = 1) AS honest_pay, avg(harm_pay) FILTER (o < 1) AS other_pay
  FROM scored WHERE b0)
CROSS JOIN ${taskMeansSql('harm', hit, of('o = 1'))}
CROSS JOIN ${taskMeansSql('aim', hit, of('o < 1'))}`;
  },
  read: (figures, change) => ({
    figures,
    summary: harmText(figures),
    rejected: rejectionOf(figures, change),
  }),
};

/** The amount that the new or stronger penalties alone subtract from a trajectory. */
function paySql(change: RecipeChange): string {
  const { before, after } = change;
  const terms = penalties(change).map(
    ({ feature, from, to }) => `(${to - Math.min(from, 0)}) * ${column(feature)}`,
  );
  if (isOverlongStronger(change)) {
    terms.push(
      `(${overlongSql(after.reward.overlong)}) - (${overlongSql(before.reward.overlong)})`,
    );
  }
  return terms.length === 0 ? '0' : terms.join(' + ');
}

const harmText = (figures: Figures): string =>
  at(figures, 'honest') === 0
    ? 'the archive has no labeled honest success'
    : `hits ${percent(at(figures, 'harm'))} of ${at(figures, 'honest')} honest successes and ${percent(at(figures, 'aim'))} of ${at(figures, 'others')} other trajectories`;

/** A filter may not hit successes; a penalty may, if it hits the others more often. */
function rejectionOf(figures: Figures, change: RecipeChange): ReplayReading['rejected'] {
  const [harm, aim] = [clustered(figures, 'harm'), clustered(figures, 'aim')];
  if (harm.n < 2) return null;
  const { low } = clusteredShare(harm, PROOF_LEVEL, 1);
  if (low <= HARM_MAX) return null;
  if (isPenalty(change) && !isTrajectoryRuleNew(change)) {
    if (aim.n < 2 || meanDifference(harm, aim, PROOF_LEVEL, 1).low <= 0) return null;
    return `penalizes ${percent(harm.mean)} of ${at(figures, 'honest')} honest successes, and only ${percent(aim.mean)} of the others`;
  }
  return `drops ${percent(harm.mean)} of ${at(figures, 'honest')} honest successes, at least ${percent(low)}; more than ${percent(HARM_MAX)} is too many`;
}
