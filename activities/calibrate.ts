// The second part of calibration: the warm start with its first score, and the digest of everything frozen.
import { epochDigest, familyDigest } from '../core/epoch.ts';
import { INCUMBENT, taskMeans, tasksOf } from '../core/gate/rows.ts';
import type { CampaignScope } from '../core/generation.ts';
import { output } from '../core/plan.ts';
import type { ArtifactRef } from '../core/schemas/artifact.ts';
import type { CampaignConfig } from '../core/schemas/campaign-config.ts';
import type { Epoch } from '../core/schemas/generation-context.ts';
import { summarize } from '../core/stats/intervals.ts';
import { sha256Hex } from './shared/digest.ts';
import type { PortsOf } from './ports/campaign-ports.ts';
import type { PreparedEpoch } from './prepare-epoch.ts';
import { readSealedRows } from './shared/sealed-rows.ts';

export interface CalibrateRequest {
  readonly scope: CampaignScope;
  readonly config: CampaignConfig;
  readonly prepared: PreparedEpoch;
  readonly policy: ArtifactRef;
  /** Outputs of the first evaluation. */
  readonly evaluation: Readonly<Record<string, ArtifactRef>>;
}

export const makeCalibrate =
  (portsOf: PortsOf) =>
  async ({ scope, config, prepared, policy, evaluation }: CalibrateRequest): Promise<Epoch> => {
    const select = output(evaluation, 'sealed/select');
    const canary = output(evaluation, 'sealed/canary');
    const rows = await readSealedRows(portsOf(scope).sealedAnalytics, [select]);
    const { mean: selectMean } = summarize(
      taskMeans(tasksOf(rows, INCUMBENT), (row) => row.true_score),
    );
    const { trainerDigest, gateSecretId, recipe } = prepared;
    return {
      digest: epochDigest(config, trainerDigest, policy.sha256, sha256Hex),
      family: familyDigest(config, sha256Hex),
      trainerDigest,
      gateSecretId,
      warmStart: { policy, recipe, selectMean, lostCategories: [] },
      warmStartResults: { select, canary },
    };
  };
