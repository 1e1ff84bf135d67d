// The ledger as a researcher may see it: of everything sealed nothing but the verdict and the guard's name.
import type { LedgerDraft, LedgerRecord } from './schemas/ledger-entry.ts';

type Shown = Exclude<
  LedgerDraft,
  {
    kind:
      | 'calibrated'
      | 'harness-revised'
      | 'screened'
      | 'test-reserved'
      | 'gate-verdict'
      | 'message-received'
      | 'intervention-injected';
  }
>;
type BodyOf<Kind extends LedgerDraft['kind']> = Extract<LedgerDraft, { kind: Kind }>['body'];
type Common = Pick<LedgerDraft, 'generation' | 'by'>;

/** Entries as they are, save those that touch sealed results or the answer key; messages of humans are not for researchers at all. */
export type ResearcherEntry =
  | Shown
  | (Common & {
      readonly kind: 'calibrated';
      readonly body: Pick<BodyOf<'calibrated'>, 'warmStart'>;
    })
  | (Common & {
      readonly kind: 'harness-revised';
      readonly body: Omit<BodyOf<'harness-revised'>, 'scored'>;
    })
  | (Common & {
      readonly kind: 'screened';
      readonly body: {
        readonly branches: readonly Pick<
          BodyOf<'screened'>['branches'][number],
          'branch' | 'verdict' | 'guard'
        >[];
        readonly challenger: string | null;
      };
    })
  | (Common & {
      readonly kind: 'gate-verdict';
      readonly body: Pick<BodyOf<'gate-verdict'>, 'branch' | 'verdict' | 'guard' | 'conditional'>;
    });

/** In order. Never a number, an interval, a sealed reference or a sentence of the gate; no reservation at all. */
export const researcherView = (
  records: readonly Pick<LedgerRecord, 'entry'>[],
): ResearcherEntry[] =>
  records.flatMap(({ entry }) => {
    const shown = show(entry.draft);
    return shown === null ? [] : [shown];
  });

function show(draft: LedgerDraft): ResearcherEntry | null {
  const common = { generation: draft.generation, by: draft.by };
  switch (draft.kind) {
    case 'calibrated':
      return { ...common, kind: draft.kind, body: { warmStart: draft.body.warmStart } };
    case 'harness-revised': {
      // What the catalogue knows is the answer key of a blind start.
      const { scored: _, ...body } = draft.body;
      return { ...common, kind: draft.kind, body };
    }
    case 'screened': {
      const branches = draft.body.branches.map(({ branch, verdict, guard }) => ({
        branch,
        verdict,
        guard,
      }));
      return { ...common, kind: draft.kind, body: { branches, challenger: draft.body.challenger } };
    }
    case 'gate-verdict': {
      const { branch, verdict, guard, conditional } = draft.body;
      return { ...common, kind: draft.kind, body: { branch, verdict, guard, conditional } };
    }
    case 'test-reserved':
    case 'message-received':
    case 'intervention-injected':
      return null;
    case 'diagnosed':
    case 'proposed':
    case 'backtested':
    case 'branch-trained':
    case 'branches-decided':
    case 'skills-recorded':
    case 'generation-retried':
    case 'generation-parked':
    case 'generation-skipped':
    case 'campaign-ended':
      return draft;
  }
}
