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
  ].join('\n');
}
