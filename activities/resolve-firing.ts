// The campaign that a firing of a schedule starts: the schedule's config with the firing's name and seed, and its
// digest.
import type { CampaignConfig } from '../core/schemas/campaign-config.ts';
import { digestOf } from './shared/config-digest.ts';
import type { ResultOf } from '../core/schemas/step-results.ts';

/** Pure. It is an activity because workflow code cannot hash. */
export async function resolveFiring({
  config,
  name,
  seed,
}: {
  readonly config: CampaignConfig;
  readonly name: string;
  readonly seed: number;
}): Promise<ResultOf<'resolveFiring'>> {
  const resolved = { ...config, name, seed };
  return { config: resolved, configDigest: digestOf(resolved) };
}
