// The ledger entries of a generation's steps, from what the steps returned.
import type { BranchResult } from './generation.ts';
import type { LedgerDraft } from './schemas/ledger-entry.ts';

type Body<Kind extends LedgerDraft['kind']> = Extract<LedgerDraft, { kind: Kind }>['body'];

/** An entry of the trainer's own about one generation. */
export const draft = <Kind extends LedgerDraft['kind']>(
  kind: Kind,
  generation: number,
  body: Body<Kind>,
) => ({ kind, generation, by: 'trainer' as const, body });

/** One entry a branch, in branch order. */
export const trainedDrafts = (
  generation: number,
  branches: readonly BranchResult[],
): LedgerDraft[] =>
  branches.map((result) =>
    result.status === 'ok'
      ? draft('branch-trained', generation, {
          branch: result.branch,
          intervention: result.intervention,
          outcome: 'ok',
          candidate: result.candidate,
          artifacts: { ...result.artifacts },
          rewardMean: result.rewardMean,
        })
      : draft('branch-trained', generation, {
          branch: result.branch,
          intervention: result.intervention,
          outcome: result.kind,
          candidate: null,
          artifacts: {},
          rewardMean: null,
        }),
  );
