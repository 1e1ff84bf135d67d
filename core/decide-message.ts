// Whether a campaign takes a message now; the reason is what its sender reads.
import type { CampaignState } from './campaign.ts';
import type { CampaignConfig } from './schemas/campaign-config.ts';
import type { NamedMessage } from './schemas/messages.ts';

/** The reason why a well-formed message is refused in this state, or null when it is taken. */
export function refuseMessage(
  message: NamedMessage,
  state: CampaignState,
  config: CampaignConfig,
): string | null {
  if (hasEnded(state))
    return `the campaign has ${state.phase === 'finished' ? 'finished' : `been ${state.phase}`}`;
  switch (message.name) {
    case 'resume':
      return state.pause === null ? 'the campaign is not paused' : null;
    case 'inject':
      return refuseInjection(state, config, message.generation);
    case 'retry':
      return refuseRetry(state);
    case 'skip':
      if (state.phase !== 'parked') return 'only a parked generation can be skipped';
      return canSkip(state.generation) ? null : 'calibration cannot be skipped; retry or abort';
    case 'pause':
    case 'stop':
    case 'abort':
      return null;
  }
}

/** Whether a park of this generation may be left undecided: nothing can follow on a calibration that was not made. */
export const canSkip = (generation: number): boolean => generation > 0;

export const hasEnded = (state: CampaignState): boolean =>
  state.phase === 'finished' || state.phase === 'stopped' || state.phase === 'aborted';

function refuseInjection(
  state: CampaignState,
  config: CampaignConfig,
  generation: number | undefined,
): string | null {
  if (state.stopRequested) return 'the campaign stops after the open generation';
  if (generation !== undefined && generation < state.generation) {
    return `generation ${generation} is over; the open one is ${state.generation}`;
  }
  if ((generation ?? state.generation) > config.generations) {
    return `the campaign plans ${config.generations} generations`;
  }
  return null;
}

function refuseRetry(state: CampaignState): string | null {
  if (state.phase === 'parked') return null;
  if (state.generation === 0) return 'calibration is still running';
  const open = state.generations.find(({ generation }) => generation === state.generation);
  const decided = open !== undefined && open.branches.some(({ decision }) => decision !== null);
  return decided ? `the decision of generation ${state.generation} is in the ledger` : null;
}
