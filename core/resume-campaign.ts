// A campaign taken up again: from its ledger the state that an ended or lost workflow left.
import { applyCalibration, emptyCampaign, LIMITS, type CampaignState } from './campaign.ts';
import type { Epoch } from './generation.ts';
import { viewsOf } from './generation-view.ts';
import type { CampaignFold } from './ledger.ts';
import { lookedBackTo, type Memory } from './memory.ts';
import type { ArtifactRef } from './schemas/artifact.ts';
import type { LedgerDraft, LedgerRecord, PastGeneration } from './schemas/ledger-entry.ts';

/** What decided generations left. */
export function memoryOf(records: readonly LedgerRecord[], { skills }: CampaignFold): Memory {
  const decided = records.flatMap(({ entry: { draft } }) =>
    draft.kind === 'branches-decided' ? [draft.body] : [],
  );
  return {
    past: pastOf(records),
    skills,
    forecasts: decided.flatMap(({ forecasts }) => forecasts),
  };
}

/** As the last revision of each decided generation read them; that of an open one counts from its decision on. */
function pastOf(records: readonly LedgerRecord[]): readonly PastGeneration[] {
  let past: readonly PastGeneration[] = [];
  let reread: Extract<LedgerDraft, { kind: 'harness-revised' }>['body']['reread'] = [];
  for (const { draft } of records.map(({ entry }) => entry)) {
    if (draft.kind === 'harness-revised') reread = draft.body.reread;
    if (draft.kind === 'generation-skipped') reread = [];
    if (draft.kind !== 'branches-decided') continue;
    const health = new Map(reread.map((one) => [one.generation, one.health]));
    const read = past.map((one) => ({ ...one, health: health.get(one.generation) ?? one.health }));
    past = lookedBackTo([...read, draft.body.past]);
    reread = [];
  }
  return past;
}

/**
 * Incumbent, epoch, tests spent, what was decided; a generation that is not closed begins anew. `memory` is the stored
 * memory of these records, null where they decided nothing.
 */
export function resumeCampaign(
  records: readonly LedgerRecord[],
  fold: CampaignFold,
  memory: ArtifactRef | null,
): CampaignState {
  const { calibrated, heardIds, messages, injected } = fold;
  const told = {
    ...emptyCampaign,
    heardIds: heardIds.slice(-LIMITS.heardIds),
    messageCount: messages,
    injected,
  };
  if (calibrated === null) return told;
  const { epoch: digest, trainerDigest, gateSecretId, warmStart, warmStartResults } = calibrated;
  const epoch: Epoch = {
    digest,
    trainerDigest,
    gateSecretId,
    warmStart,
    warmStartResults,
  };
  return {
    ...applyCalibration(told, { epoch, harness: fold.harness ?? calibrated.harness }),
    generation: Math.max(0, ...fold.closed) + 1,
    incumbent: fold.incumbent,
    incumbentSteps: fold.incumbentSteps,
    memory,
    skillsKnown: fold.skills.length,
    testsSpent: fold.testsSpent,
    redo: fold.redo,
    generations: viewsOf(records.map(({ entry }) => entry.draft)).slice(-LIMITS.generations),
  };
}
