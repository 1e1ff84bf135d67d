// What a dry run shows of inquiries, as comments of YAML.
import { specialistsOf } from '../activities/inquiring/specialist-of.ts';
import { allotments, nothingGranted, nothingSpent } from '../core/research/purse.ts';
import type { CampaignConfig } from '../core/schemas/campaign-config.ts';

/** What asking language models may cost, and who is sent which data. */
export function describeInquiries({
  researcher,
  providers,
  generations,
}: CampaignConfig): string[] {
  if (researcher === undefined) return [];
  const { budget } = researcher;
  const specialists = specialistsOf(researcher);
  const share = allotments(budget, nothingGranted, nothingSpent, specialists.length);
  const usd = (microUsd: number | null): string =>
    microUsd === null ? 'no limit in dollars' : `$${(microUsd / 1e6).toFixed(2)}`;
  const hosts = [...new Set(specialists.map(({ model }) => model.slice(0, model.indexOf('/'))))];
  return [
    `# ${specialists.length} specialists ask language models in each of ${generations} generations, at most ${budget.turns} turns each:`,
    `#   the campaign may spend ${budget.tokens} tokens and ${usd(budget.usd === null ? null : budget.usd * 1e6)};`,
    `#   an inquiry of the first generation at most ${share.tokens} tokens and ${usd(share.microUsd)}`,
    ...hosts.map((name) => {
      const provider = providers[name];
      const where =
        provider?.type === 'exec'
          ? `${provider.command[0]}, which reaches ${provider.hosts.join(', ') || 'nobody'}`
          : provider?.base_url;
      return `#   ${name} (${where}) is sent the recipe, health reports and the effects of tried changes on SELECT`;
    }),
  ];
}
