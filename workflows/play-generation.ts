import { ChildWorkflowCancellationType, ParentClosePolicy, startChild } from '@temporalio/workflow';
import { applyGeneration, applyView, controlOf } from '../core/campaign.ts';
import { openingView } from '../core/generation-view.ts';
import { workflowIds } from '../core/ids.ts';
import type { CampaignControl } from './campaign-control.ts';
import { generationWorkflow } from './generation.ts';
import { placeAttributes } from './search-attributes.ts';

/** One attempt of the next generation, as a child with a history of its own. */
export async function playGeneration(campaign: CampaignControl): Promise<void> {
  campaign.change(applyView(campaign.state, openingView(campaign.state)));
  const { config, scope, state } = campaign;
  const { epoch, incumbent, harness, generation, attempt } = state;
  const { policy: _policy, warmup: _warmup, recipe: _recipe, ...generationConfig } = config;
  if (epoch === null || incumbent === null || harness === null) {
    throw new RangeError('a generation needs a calibrated campaign');
  }
  const child = await startChild(generationWorkflow, {
    workflowId: workflowIds.generation(config.name, generation, attempt),
    args: [
      {
        scope,
        config: generationConfig,
        epoch,
        generation,
        attempt,
        redo: state.redo,
        incumbent,
        incumbentSteps: state.incumbentSteps,
        harness,
        memory: state.memory,
        testsSpent: state.testsSpent,
        control: controlOf(state),
      },
    ],
    typedSearchAttributes: placeAttributes(config, generation),
    staticSummary: `${config.name}: generation ${generation}, attempt ${attempt}`,
    staticDetails: `Rollout, diagnose, revise, propose, backtest, train, promote, accumulate on **${config.domain}**. Send messages to \`${workflowIds.campaign(config.name)}\`.`,
    // Cancelling waits for the clean-up, so that the next attempt finds no job of this one.
    cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
    parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
  });
  // Before it had started there was nobody to tell.
  if (campaign.state !== state) await campaign.relay();
  const result = await child.result();
  campaign.hear(result);
  await campaign.record([]);
  campaign.change(applyGeneration(campaign.state, result));
}
