// How a generation looks from outside: while it runs, and as its ledger entries tell it afterwards.
import type { BranchView, GenerationView } from './campaign-view.ts';
import type { CampaignState } from './campaign.ts';
import type { LedgerDraft } from './schemas/ledger-entry.ts';
import type { HarnessChange } from './schemas/revision.ts';

/** A generation of which nothing is known. */
const blankView = (generation: number): GenerationView => ({
  generation,
  attempt: 1,
  step: null,
  bottleneck: null,
  branches: [],
  verdict: null,
  incumbentSelectMean: null,
  notices: [],
});

/** A generation as it opens: in its first step. */
export const openingView = ({
  generation,
  attempt,
  incumbent,
}: Pick<CampaignState, 'generation' | 'attempt' | 'incumbent'>): GenerationView => ({
  ...blankView(generation),
  attempt,
  step: 'rollout',
  incumbentSelectMean: incumbent?.selectMean ?? null,
});

/** Whether what came by an internal signal is a view: anybody can send one, and none may break the campaign. */
export function isGenerationView(value: unknown): value is GenerationView {
  const { generation, branches, verdict, notices } = fieldsOf(value);
  return (
    Number.isInteger(generation) &&
    Array.isArray(notices) &&
    Array.isArray(branches) &&
    branches.every((branch) => typeof fieldsOf(branch)['state'] === 'string') &&
    (verdict === null || typeof fieldsOf(verdict)['why'] === 'string')
  );
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> => ({ ...Object(value) });

/** The generations of a ledger, ascending. Attempts are not told apart: the last word on each matter counts. */
export function viewsOf(drafts: readonly LedgerDraft[]): GenerationView[] {
  const views = new Map<number, GenerationView>();
  for (const draft of drafts) {
    const { generation } = draft;
    if (generation === 0) continue;
    views.set(generation, foldView(views.get(generation) ?? blankView(generation), draft));
  }
  return [...views.values()].toSorted((left, right) => left.generation - right.generation);
}

function foldView(view: GenerationView, draft: LedgerDraft): GenerationView {
  switch (draft.kind) {
    case 'diagnosed':
      return { ...view, bottleneck: draft.body.bottleneck };
    case 'harness-revised': {
      const { bottleneck, changes } = draft.body;
      return { ...view, bottleneck, notices: askedOf(changes) };
    }
    case 'branch-trained': {
      const { branch, intervention, outcome, rewardMean } = draft.body;
      return withBranch(view, {
        branch,
        operator: intervention?.operator ?? null,
        hypothesis: intervention?.hypothesis ?? null,
        state: outcome === 'ok' ? 'trained' : 'failed',
        decision: null,
        why: null,
        selectMean: null,
        rewardMean,
      });
    }
    case 'gate-verdict': {
      const { branch, verdict, guard, why } = draft.body;
      return { ...view, verdict: { branch, verdict, guard, why } };
    }
    case 'branches-decided':
      return {
        ...view,
        incumbentSelectMean: draft.body.incumbent.selectMean,
        notices: [...view.notices, ...withdrawnOf(draft.body), ...driftOf(draft.body)],
        branches: view.branches.map((branch) => {
          const decided = draft.body.branches.find((one) => one.branch === branch.branch);
          if (decided === undefined) return branch;
          const { decision, why, selectMean } = decided;
          return { ...branch, state: 'decided', decision, why, selectMean };
        }),
      };
    default:
      return view;
  }
}

/** What a revision leaves to a human. */
export const askedOf = (changes: readonly HarnessChange[]): string[] =>
  changes.flatMap(({ name, decision, why }) =>
    decision === 'asked' ? [`detector ${name} ${why}`] : [],
  );

type Decided = Extract<LedgerDraft, { kind: 'branches-decided' }>['body'];
const driftOf = ({ drift }: Decided): string[] => drift.map(({ why }) => why);
const withdrawnOf = ({ branches }: Decided): string[] =>
  branches.flatMap(({ branch, decision, why }) =>
    decision === 'revert' ? [`${branch} ${why}`] : [],
  );

const withBranch = (view: GenerationView, branch: BranchView): GenerationView => ({
  ...view,
  branches: [...view.branches.filter((one) => one.branch !== branch.branch), branch],
});
