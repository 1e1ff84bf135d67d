// The ledger entries of a generation's steps, from what the steps returned.
import type { BranchResult } from './generation.ts';
import type { LedgerDraft, Skill } from './schemas/ledger-entry.ts';

type Body<Kind extends LedgerDraft['kind']> = Extract<LedgerDraft, { kind: Kind }>['body'];

/** An entry of the trainer's own about one generation. */
export const draft = <Kind extends LedgerDraft['kind']>(
  kind: Kind,
  generation: number,
  body: Body<Kind>,
) => ({ kind, generation, by: 'trainer' as const, body });

/** How a generation closes: the decision on its branches, and the skills that it made or changed. */
export const decidedDrafts = (
  generation: number,
  closed: Pick<Body<'branches-decided'>, 'past' | 'incumbent'> & {
    readonly decided: readonly Body<'branches-decided'>['branches'][number][];
    readonly skillsChanged: readonly Skill[];
  },
): LedgerDraft[] => {
  const { past, incumbent } = closed;
  const [branches, skills] = [[...closed.decided], [...closed.skillsChanged]];
  return [
    draft('branches-decided', generation, { branches, past, incumbent }),
    ...(skills.length === 0 ? [] : [draft('skills-recorded', generation, { skills })]),
  ];
};

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
