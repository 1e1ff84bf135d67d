// The lines of a dry run about the guards: how often the campaign's sizes make them refuse an honest branch.
import { hasGate, NO_GATE } from '../core/arm.ts';
import { guardRisks, RISK_RATES } from '../core/gate/guard-risks.ts';
import type { CampaignConfig } from '../core/schemas/campaign-config.ts';

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** Comments of YAML, one per line. */
export function describeRisks(config: CampaignConfig): string {
  if (!hasGate(config.arm)) return `# ${NO_GATE}`;
  const rates = RISK_RATES.map((rate) => `${Math.round(100 * rate)} %`).join(', ');
  return [
    `# chance that a guard refuses a branch which leaves a vice of ${rates} as it was:`,
    ...guardRisks(config).map(
      ({ guard, chances }) => `#   ${guard.padEnd(17)} ${chances.map(percent).join(', ')}`,
    ),
    describeReplicates(config),
  ].join('\n');
}

/** What a promotion may cost beyond its test. */
function describeReplicates({ replicates: { max }, evaluation, budget }: CampaignConfig): string {
  const { recipe_tasks: tasks, promotion_samples: samples } = evaluation;
  const played = `b0 and the branch play ${tasks} x ${samples} episodes each`;
  const trained = 2 * (max - 1);
  const more =
    trained === 0
      ? 'nothing is trained again'
      : `if that does not decide, ${trained} more trainings of ${budget.optimizer_steps} optimizer steps play as much`;
  return `# a promotion with a recipe change: ${played}; ${more}`;
}
