import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  workflowInfo,
} from '@temporalio/workflow';
import {
  applyParked,
  applyRetry,
  applySkip,
  emptyCampaign,
  hasMoreGenerations,
  type CampaignState,
} from '../core/campaign.ts';
import { scopeOf } from '../core/generation.ts';
import type { CampaignConfig } from '../core/schemas/campaign-config.ts';
import type { LedgerDraft } from '../core/schemas/ledger-entry.ts';
import { CampaignControl } from './campaign-control.ts';
import { calibrate } from './calibrate.ts';
import { describeFailure, isOwnCancellation, type FailureReport } from './failures.ts';
import { playGeneration } from './play-generation.ts';
import { quickly } from './proxies.ts';

export interface CampaignInput {
  readonly config: CampaignConfig;
  readonly configDigest: string;
  /** State carried over continue-as-new; absent at the first start. */
  readonly carried?: CampaignState;
  /** Continue as new at a generation's end once the history holds more; null = when the server suggests it. */
  readonly historyBytesMax?: number | null;
}

export interface CampaignResult {
  readonly how: 'finished' | 'stopped' | 'aborted';
  readonly generation: number;
  readonly incumbentSelectMean: number | null;
}

/** One whole evolution: calibrates, plays generation after generation, and answers to humans at any time. */
export async function campaignWorkflow(input: CampaignInput): Promise<CampaignResult> {
  const { config, configDigest } = input;
  const scope = scopeOf(config);
  const campaign = new CampaignControl(config, scope, input.carried ?? emptyCampaign);
  if (input.carried === undefined) {
    const told = await quickly('openCampaign').openCampaign({ scope, config, configDigest });
    if (told !== null) campaign.change(told);
  }
  campaign.isOpen = true;
  if (campaign.state.epoch === null)
    await untilDone(campaign, async () => calibrate(campaign, configDigest));
  while (await opensNext(campaign)) {
    await untilDone(campaign, async () => playGeneration(campaign));
    if (historyIsLong(input)) await continueLater(input, campaign);
  }
  return finish(campaign);
}

/** Whether another generation is played; waits out a pause first, unless meanwhile there is none left to play. */
async function opensNext(campaign: CampaignControl): Promise<boolean> {
  const isOver = () => isAborted(campaign) || !hasMoreGenerations(campaign.state, campaign.config);
  await condition(() => campaign.state.pause === null || isOver());
  return !isOver();
}

/** Runs `work` until it is decided, skipped or aborted; what fails for good parks and waits for a human. */
async function untilDone(campaign: CampaignControl, work: () => Promise<void>): Promise<void> {
  for (;;) {
    await campaign.ready();
    if (isAborted(campaign)) return;
    // What was demanded during a pause is met before anything opens.
    const failure = campaign.demand === null ? await attempt(campaign, work) : INTERRUPTED;
    if (failure === null) {
      // A demand that came too late has nothing left to act on; abort still ends the campaign.
      if (!isAborted(campaign)) campaign.demand = null;
      return;
    }
    if (campaign.demand === null) await park(campaign, failure);
    const demand = await campaign.demanded();
    if (demand.kind === 'retry') campaign.change(applyRetry(campaign.state, demand.from));
    if (demand.kind === 'skip') {
      await campaign.recordOrKeep([
        {
          kind: 'generation-skipped',
          generation: campaign.state.generation,
          by: 'human',
          body: { reason: demand.reason },
        },
      ]);
      campaign.change(applySkip(campaign.state));
      return;
    }
    if (demand.kind === 'abort') campaign.demand = demand;
  }
}

const INTERRUPTED: FailureReport = { step: 'generation', reason: 'interrupted', testsSpent: 0 };
const isAborted = ({ demand }: CampaignControl): boolean => demand?.kind === 'abort';

/** One attempt in a scope of its own, so that a demand can cancel it. Null when it was done. */
async function attempt(
  campaign: CampaignControl,
  work: () => Promise<void>,
): Promise<FailureReport | null> {
  const scope = new CancellationScope();
  campaign.open = scope;
  try {
    await scope.run(work);
    return null;
  } catch (error) {
    if (isOwnCancellation(error) && campaign.demand === null) throw error;
    return describeFailure(error);
  } finally {
    campaign.open = null;
  }
}

async function park(campaign: CampaignControl, failure: FailureReport): Promise<void> {
  const { step, reason } = failure;
  campaign.change(applyParked(campaign.state, failure));
  await campaign.recordOrKeep([
    {
      kind: 'generation-parked',
      generation: campaign.state.generation,
      by: 'trainer',
      body: { step, reason, testsSpent: campaign.state.testsSpent },
    },
  ]);
}

const historyIsLong = ({ historyBytesMax }: CampaignInput): boolean =>
  workflowInfo().continueAsNewSuggested ||
  workflowInfo().historySize > (historyBytesMax ?? Infinity);

async function continueLater(input: CampaignInput, campaign: CampaignControl): Promise<void> {
  await condition(allHandlersFinished);
  // A demand lives in this run alone, so it is met here and the next generation's end continues.
  if (campaign.demand !== null) return;
  await continueAsNew<typeof campaignWorkflow>({ ...input, carried: campaign.state });
}

async function finish(campaign: CampaignControl): Promise<CampaignResult> {
  const { demand, state } = campaign;
  const aborted = demand?.kind === 'abort';
  const how = aborted ? 'aborted' : state.stopRequested ? 'stopped' : 'finished';
  const { incumbent } = state;
  // Without calibration there is nothing to say but what humans said.
  const ended: LedgerDraft[] =
    incumbent === null
      ? []
      : [
          {
            kind: 'campaign-ended',
            generation: Math.max(0, state.generation - 1),
            by: aborted || state.stopRequested ? 'human' : 'trainer',
            body: { how, reason: aborted ? demand.reason : null, incumbent },
          },
        ];
  // What ends is no longer paused: its end is written at once.
  campaign.change({ ...campaign.state, pause: null });
  // An end that cannot be written waits like any other failed step; an abort does not wait.
  if (aborted) await campaign.recordOrKeep(ended);
  else await untilDone(campaign, async () => campaign.record(ended));
  campaign.change({ ...campaign.state, phase: how });
  await condition(allHandlersFinished);
  return {
    how,
    generation: Math.max(0, state.generation - 1),
    incumbentSelectMean: state.incumbent?.selectMean ?? null,
  };
}
