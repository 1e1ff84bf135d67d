// The part of a config that can change a result: what a campaign is recognised by.
import { canonicalJson } from './canonical-json.ts';
import type { CampaignConfig } from './schemas/campaign-config.ts';

/** The text over which the config digest is taken; keys are left out that cannot change a result. */
export function configText(config: CampaignConfig, keysOutside: readonly string[]): string {
  const kept = Object.entries(config).filter(([key]) => !keysOutside.includes(key));
  return canonicalJson(Object.fromEntries(kept));
}
