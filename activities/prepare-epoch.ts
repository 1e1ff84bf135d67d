// The first part of calibration: everything that its jobs need, and the commitment to the gate secret.
import { campaignHarness } from '../core/harness/own-definitions.ts';
import type { CampaignScope } from '../core/generation.ts';
import { foldLedger, nextGeneration } from '../core/ledger-fold.ts';
import type { ArtifactRef } from '../core/schemas/artifact.ts';
import type { CampaignConfig } from '../core/schemas/campaign-config.ts';
import type { Candidate } from '../core/schemas/ledger-entry.ts';
import type { PortsOf } from './ports/campaign-ports.ts';
import { readLedger } from './shared/ledger-end.ts';
import { storeJson } from './shared/store-json.ts';

export interface PreparedEpoch {
  readonly trainerDigest: string;
  readonly gateSecretId: string;
  readonly harness: ArtifactRef;
  readonly recipe: ArtifactRef;
  /** The generation that the epoch begins with. */
  readonly generation: number;
  /** Policies that the epoch measures again, the warm start first; empty for a new campaign. */
  readonly lineage: readonly Candidate[];
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
    const fold = foldLedger(await readLedger(stores.open, scope.campaign));
    const harness =
      fold.harness ?? (await storeJson(stores.open, campaignHarness(catalog, config)));
    return {
      trainerDigest: await trainerDigest(),
      gateSecretId: await gateSecret.commit(),
      harness,
      recipe: await storeJson(stores.open, config.recipe),
      generation: nextGeneration(fold),
      lineage: fold.lineage.map(({ candidate }) => candidate),
    };
  };
