import { applyCalibration } from '../core/campaign.ts';
import { output, planFirstEvaluation, planWarmup } from '../core/plan.ts';
import type { CampaignControl } from './campaign-control.ts';
import { quickly } from './proxies.ts';
import { requireJob } from './run-job.ts';

/** Freezes the comparability epoch: digests, gate secret, warm start and its first evaluation. */
export async function calibrate(campaign: CampaignControl, configDigest: string): Promise<void> {
  const { config, scope } = campaign;
  const { attempt } = campaign.state;
  const prepared = await quickly('prepareEpoch').prepareEpoch({ scope, config });
  const { trainerDigest, gateSecretId, harness } = prepared;
  const heartbeatTimeoutS = config.temporal.heartbeat_timeout_s;
  const jobs = {
    scope,
    trainerDigest,
    gateSecretId,
    harness,
    heartbeatTimeoutS,
    control: campaign,
  };
  const warmed = await requireJob(jobs, planWarmup(config, attempt));
  const policy = output(warmed.outputs, 'policy');
  const evaluated = await requireJob(jobs, planFirstEvaluation(config, policy, attempt));
  const frozen = await quickly('calibrate').calibrate({
    scope,
    config,
    prepared,
    policy,
    evaluation: evaluated.outputs,
  });
  await campaign.record([
    {
      kind: 'calibrated',
      generation: 0,
      by: 'trainer',
      body: {
        configDigest,
        epoch: frozen.digest,
        trainerDigest,
        gateSecretId,
        warmStart: frozen.warmStart,
        warmStartResults: frozen.warmStartResults,
        harness,
      },
    },
  ]);
  campaign.change(applyCalibration(campaign.state, { epoch: frozen, harness }));
}
