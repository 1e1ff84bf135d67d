// The part of a config that can affect results, which identifies a campaign.
import { canonicalJson } from './canonical-json.ts';
import type { CampaignConfig } from './schemas/campaign-config.ts';

/** The text of the config digest; `keysOutside` cannot affect results. */
export function configText(config: CampaignConfig, keysOutside: readonly string[]): string {
  const kept = Object.entries(config).filter(([key]) => !keysOutside.includes(key));
  return canonicalJson(Object.fromEntries(kept));
}
