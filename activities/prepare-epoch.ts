// The first part of calibration: everything that the warm-up job needs, and the commitment to the gate secret.
import { campaignHarness } from '../core/harness/own-definitions.ts';
import type { CampaignScope } from '../core/generation.ts';
import type { ArtifactRef } from '../core/schemas/artifact.ts';
import type { CampaignConfig } from '../core/schemas/campaign-config.ts';
import type { PortsOf } from './ports/campaign-ports.ts';
import { storeJson } from './shared/store-json.ts';

export interface PreparedEpoch {
  readonly trainerDigest: string;
  readonly gateSecretId: string;
  readonly harness: ArtifactRef;
  readonly recipe: ArtifactRef;
}

export const makePrepareEpoch =
  (portsOf: PortsOf) =>
  async ({
    scope,
    config,
  }: {
    readonly scope: CampaignScope;
    readonly config: CampaignConfig;
  }): Promise<PreparedEpoch> => {
    const { stores, trainerDigest, gateSecret, catalog } = portsOf(scope);
    const harness = campaignHarness(catalog, config);
    return {
      trainerDigest: await trainerDigest(),
      gateSecretId: await gateSecret.commit(),
      harness: await storeJson(stores.open, harness),
      recipe: await storeJson(stores.open, config.recipe),
    };
  };
