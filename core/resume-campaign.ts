// A campaign taken up again: from its ledger the state that an ended or lost workflow left.
import {
  applyCalibration,
  emptyCampaign,
  LIMITS,
  remembered,
  type CampaignState,
} from './campaign.ts';
import type { Epoch } from './generation.ts';
import { viewsOf } from './generation-view.ts';
import type { CampaignFold } from './ledger.ts';
import type { LedgerRecord } from './schemas/ledger-entry.ts';

/** Incumbent, epoch, tests spent, skills, what was decided; a generation that is not closed begins anew. */
export function resumeCampaign(
  records: readonly LedgerRecord[],
  fold: CampaignFold,
): CampaignState {
  const { calibrated } = fold;
  if (calibrated === null) return emptyCampaign;
  const { epoch: digest, trainerDigest, gateSecretId, warmStart, warmStartResults } = calibrated;
  const epoch: Epoch = {
    digest,
    trainerDigest,
    gateSecretId,
    warmStart,
    warmStartResults,
  };
  return {
    ...applyCalibration(emptyCampaign, { epoch, harness: fold.harness ?? calibrated.harness }),
    generation: Math.max(0, ...fold.closed) + 1,
    incumbent: fold.incumbent,
    incumbentSteps: fold.incumbentSteps,
    skills: fold.skills,
    testsSpent: fold.testsSpent,
    heardIds: fold.heardIds.slice(-LIMITS.heardIds),
    messageCount: fold.messages,
    ...pastOf(records),
  };
}

/** What decided generations left: their evidence for the next ones, and how they looked. */
function pastOf(records: readonly LedgerRecord[]): Pick<CampaignState, 'past' | 'generations'> {
  const drafts = records.map(({ entry }) => entry.draft);
  const past = drafts.flatMap((draft) =>
    draft.kind === 'branches-decided' ? [draft.body.past] : [],
  );
  return {
    past: remembered(past),
    generations: viewsOf(drafts).slice(-LIMITS.generations),
  };
}
