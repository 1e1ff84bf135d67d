// The activities of a worker, by the names that the UI shows. The await of a job carries the name of its step.
import { makeAccumulate } from './accumulate.ts';
import { makeAppendLedger } from './append-ledger.ts';
import { makeBacktest } from './backtest.ts';
import { withBoundary } from './shared/boundary.ts';
import { makeCalibrate } from './calibrate.ts';
import { makeCheckInjection } from './check-injection.ts';
import { makeDiagnose } from './diagnose.ts';
import { withHeartbeat } from './shared/heartbeat.ts';
import { makeAwaitJob, makeSubmitJob, makeTerminateJob } from './jobs.ts';
import { makeOpenCampaign } from './open-campaign.ts';
import type { PortsOf } from './ports/campaign-ports.ts';
import type { Campaigns } from './ports/campaigns.ts';
import { makePrepareEpoch } from './prepare-epoch.ts';
import { makePromote } from './promote.ts';
import { makePropose } from './propose.ts';
import { makeReap } from './reap.ts';
import { resolveFiring } from './resolve-firing.ts';
import { makeRevise } from './revise.ts';
import { makeScreen } from './screen.ts';
import { makeWithdraw } from './withdraw.ts';

const quick = <Input, Output>(verb: (input: Input) => Promise<Output>) =>
  withHeartbeat(withBoundary(verb));

export type { Reaped } from './reap.ts';

export function createActivities(portsOf: PortsOf, campaigns: Campaigns) {
  const awaitJob = withBoundary(makeAwaitJob(portsOf));
  return {
    resolveFiring: quick(resolveFiring),
    openCampaign: quick(makeOpenCampaign(portsOf)),
    prepareEpoch: quick(makePrepareEpoch(portsOf)),
    calibrate: quick(makeCalibrate(portsOf)),
    checkInjection: quick(makeCheckInjection(portsOf)),
    submitJob: quick(makeSubmitJob(portsOf)),
    warmup: awaitJob,
    rollout: awaitJob,
    train: awaitJob,
    evaluate: awaitJob,
    terminateJob: quick(makeTerminateJob(portsOf)),
    diagnose: quick(makeDiagnose(portsOf)),
    revise: quick(makeRevise(portsOf)),
    propose: quick(makePropose(portsOf)),
    backtest: quick(makeBacktest(portsOf)),
    screen: quick(makeScreen(portsOf)),
    promote: quick(makePromote(portsOf)),
    accumulate: quick(makeAccumulate(portsOf)),
    withdraw: quick(makeWithdraw(portsOf)),
    appendLedger: quick(makeAppendLedger(portsOf)),
    reap: quick(makeReap(campaigns, portsOf)),
  };
}
export type Activities = ReturnType<typeof createActivities>;
