import { applyCalibration } from '../core/campaign.ts';
import type { JobPlan } from '../core/job-plan.ts';
import { output, planFirstEvaluation, planWarmup } from '../core/plan.ts';
import type { LiveCampaign } from './live-campaign.ts';
import { activity } from './activity.ts';
import { requireJob } from './run-job.ts';

/** Freezes the comparability epoch: digests, gate secret, warm start and its first evaluation. */
export async function calibrate(campaign: LiveCampaign, configDigest: string): Promise<void> {
  const { config, scope } = campaign;
  const { attempt } = campaign.state;
  const jobOf = (step: string, plan: JobPlan) => ({ step, redo: 0, attempt, plan });
  const prepared = await activity('prepareEpoch').prepareEpoch({ scope, config });
  const { trainerDigest, gateSecretId, harness } = prepared;
  const heartbeatTimeoutS = config.temporal.heartbeat_timeout_s;
  const jobs = {
    scope,
    trainerDigest,
    gateSecretId,
    harness,
    heartbeatTimeoutS,
    pauses: campaign,
  };
  const warmed = await requireJob(jobs, jobOf('warmup', planWarmup(config)));
  const policy = output(warmed.outputs, 'policy');
  const evaluation = planFirstEvaluation(config, policy);
  const evaluated = await requireJob(jobs, jobOf('evaluate.calibrate', evaluation));
  const frozen = await activity('calibrate').calibrate({
    scope,
    config,
    prepared,
    policy,
    evaluation: evaluated.outputs,
  });
  await campaign.append([
    {
      kind: 'calibrated',
      generation: 0,
      by: 'campaign',
      body: {
        configDigest,
        arm: config.arm,
        epoch: frozen.digest,
        family: frozen.family,
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
