// The activities of a worker, by the names that the UI shows. The await of a job carries the name of its step.
import { makeAccumulate } from './accumulate.ts';
import { makeAppendLedger } from './append-ledger.ts';
import { makeBacktest } from './backtest.ts';
import { withBoundary } from './boundary.ts';
import { makeCalibrate } from './calibrate.ts';
import { makeCheckInjection } from './check-injection.ts';
import { makeDiagnose } from './diagnose.ts';
import { makeAwaitJob, makeSubmitJob, makeTerminateJob } from './jobs.ts';
import { makeOpenCampaign } from './open-campaign.ts';
import type { PortsOf } from './ports/campaign-ports.ts';
import { makePrepareEpoch } from './prepare-epoch.ts';
import { makePromote } from './promote.ts';
import { makePropose } from './propose.ts';
import { makeRevise } from './revise.ts';
import { makeScreen } from './screen.ts';

export function createActivities(portsOf: PortsOf) {
  const awaitJob = withBoundary(makeAwaitJob(portsOf));
  return {
    openCampaign: withBoundary(makeOpenCampaign(portsOf)),
    prepareEpoch: withBoundary(makePrepareEpoch(portsOf)),
    calibrate: withBoundary(makeCalibrate(portsOf)),
    checkInjection: withBoundary(makeCheckInjection(portsOf)),
    submitJob: withBoundary(makeSubmitJob(portsOf)),
    warmup: awaitJob,
    rollout: awaitJob,
    train: awaitJob,
    evaluate: awaitJob,
    terminateJob: withBoundary(makeTerminateJob(portsOf)),
    diagnose: withBoundary(makeDiagnose(portsOf)),
    revise: withBoundary(makeRevise(portsOf)),
    propose: withBoundary(makePropose(portsOf)),
    backtest: withBoundary(makeBacktest(portsOf)),
    screen: withBoundary(makeScreen(portsOf)),
    promote: withBoundary(makePromote(portsOf)),
    accumulate: withBoundary(makeAccumulate(portsOf)),
    appendLedger: withBoundary(makeAppendLedger(portsOf)),
  };
}
export type Activities = ReturnType<typeof createActivities>;
