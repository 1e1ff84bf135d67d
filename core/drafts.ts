// The ledger entries of a generation's steps, from what the steps returned.
import type { BranchResult } from './generation.ts';
import type { ArtifactRef } from './schemas/artifact.ts';
import type { LedgerDraft, Skill } from './schemas/ledger-entry.ts';

export type DraftOf<Kind extends LedgerDraft['kind']> = Extract<LedgerDraft, { kind: Kind }>;
type Body<Kind extends LedgerDraft['kind']> = DraftOf<Kind>['body'];

/** An entry, or the stored object that holds it: what is long stays out of histories. */
export type GivenDraft = LedgerDraft | ArtifactRef;

/** An entry of the trainer's own about one generation. */
export const draft = <Kind extends LedgerDraft['kind']>(
  kind: Kind,
  generation: number,
  body: Body<Kind>,
) => ({ kind, generation, by: 'trainer' as const, body });

/** How a generation closes: the decision on its branches, and the skills that it made or changed. */
export const decidedDrafts = (
  generation: number,
  decided: Body<'branches-decided'>,
  skillsChanged: readonly Skill[],
): LedgerDraft[] => [
  draft('branches-decided', generation, decided),
  ...(skillsChanged.length === 0
    ? []
    : [draft('skills-recorded', generation, { skills: [...skillsChanged] })]),
];

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
