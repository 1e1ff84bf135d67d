// The campaign that a firing of a schedule starts: the schedule's config with the firing's name and seed, and its
// digest.
import { configText } from '../core/config-digest.ts';
import {
  type CampaignConfig,
  CONFIG_KEYS_OUTSIDE_DIGEST,
} from '../core/schemas/campaign-config.ts';
import { sha256Hex } from './shared/digest.ts';

export interface ResolvedFiring {
  readonly config: CampaignConfig;
  readonly configDigest: string;
}

/** Pure. It is an activity because workflow code cannot hash. */
export async function resolveFiring({
  config,
  name,
  seed,
}: {
  readonly config: CampaignConfig;
  readonly name: string;
  readonly seed: number;
}): Promise<ResolvedFiring> {
  const resolved = { ...config, name, seed };
  const configDigest = sha256Hex(configText(resolved, CONFIG_KEYS_OUTSIDE_DIGEST));
  return { config: resolved, configDigest };
}
