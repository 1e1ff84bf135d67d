// What `evo run` does where a campaign's file has other addresses of models than the campaign.
import type { Store } from '../activities/ports/store.ts';
import { digestOf } from '../activities/shared/config-digest.ts';
import { readAddresses, recordAddresses } from '../activities/shared/moved-providers.ts';
import { readStoredConfig } from '../activities/shared/stored-config.ts';
import { canonicalJson } from '../core/canonical-json.ts';
import { addressesOf } from '../core/moved-providers.ts';
import type { CampaignConfig } from '../core/schemas/campaign-config.ts';

/** Whether the campaign now has other addresses; its next request goes there. */
export async function moveProviders(open: Store, config: CampaignConfig): Promise<boolean> {
  const { name, providers } = config;
  const now = addressesOf(providers);
  if (Object.keys(now).length === 0) return false;
  const started = (await readStoredConfig(open, name, digestOf(config)))?.providers ?? providers;
  const has = (await readAddresses(open, name)) ?? addressesOf(started);
  if (canonicalJson(has) === canonicalJson(now)) return false;
  await recordAddresses(open, name, now);
  return true;
}
