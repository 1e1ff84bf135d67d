// The ledger as a chain and as a memory: the next entry, the state it tells, what breaks it, what a researcher may see.
import { canonicalJson } from './canonical-json.ts';
import { mergeSkills } from './skills.ts';
import type { Reservation } from './gate/spending.ts';
import type { ArtifactRef } from './schemas/artifact.ts';
import type { Candidate, LedgerDraft, LedgerRecord, Skill } from './schemas/ledger-entry.ts';
import type { StepName } from './steps.ts';

/** Hex sha256 of a text in UTF-8; core has no hash of its own. */
export type Sha256 = (text: string) => string;
export type LedgerEntry = LedgerRecord['entry'];
type Linked = Pick<LedgerRecord, 'entry' | 'hash'>;
type BodyOf<Kind extends LedgerDraft['kind']> = Extract<LedgerDraft, { kind: Kind }>['body'];

/** The entry after `previous` (null: the first), with the hash of its canonical JSON. */
export function nextEntry(input: {
  readonly previous: Linked | null;
  readonly campaign: string;
  readonly draft: LedgerDraft;
  readonly sha256: Sha256;
}): Linked {
  const { previous, campaign, draft, sha256 } = input;
  const number = (previous?.entry.number ?? 0) + 1;
  const entry: LedgerEntry = {
    version: 1,
    campaign,
    number,
    previous: previous?.hash ?? null,
    draft,
  };
  return { entry, hash: sha256(canonicalJson(entry)) };
}

export interface ChainProblem {
  /** Number of the first broken entry: where it should stand. */
  readonly number: number;
  readonly problem: string;
}

/** All that is wrong with the first broken entry; empty where the chain is whole. What follows a break tells nothing. */
export function verifyChain(records: readonly Linked[], sha256: Sha256): ChainProblem[] {
  for (const [index, { entry, hash }] of records.entries()) {
    const before = records[index - 1];
    const number = index + 1;
    const problems: string[] = [];
    if (entry.number !== number) problems.push(`it carries number ${entry.number}`);
    if (entry.campaign !== (before ?? records[0])?.entry.campaign) {
      problems.push(`it belongs to campaign ${entry.campaign}`);
    }
    if (entry.previous !== (before?.hash ?? null)) {
      problems.push('it does not follow the hash of the entry before it');
    }
    if (sha256(canonicalJson(entry)) !== hash) problems.push('its content does not have its hash');
    if (problems.length > 0) return problems.map((problem) => ({ number, problem }));
  }
  return [];
}

/** A holder of the incumbency. The warm start is the first, of generation 0 and without a branch. */
export interface Ancestor {
  readonly generation: number;
  readonly branch: string | null;
  readonly candidate: Candidate;
  /** metrics.jsonl of the run that made it. */
  readonly steps: ArtifactRef | null;
}

/** What a campaign's ledger says about it: from this a new workflow starts where the old one ended. */
export interface CampaignFold {
  readonly campaign: string | null;
  readonly entries: number;
  /** To append after; null for an empty ledger. */
  readonly last: Linked | null;
  readonly calibrated: BodyOf<'calibrated'> | null;
  readonly incumbent: Candidate | null;
  readonly incumbentSteps: ArtifactRef | null;
  /** Oldest first; the last one is the incumbent. A revert shortens it. */
  readonly lineage: readonly Ancestor[];
  /** After the last decided generation; that of an open one counts from its decision on. */
  readonly harness: ArtifactRef | null;
  readonly revised: ArtifactRef | null;
  readonly reservations: readonly Reservation[];
  readonly testsSpent: number;
  readonly skills: readonly Skill[];
  /** Generations that need no further attempt: decided or skipped, ascending. */
  readonly closed: readonly number[];
  readonly parked: {
    readonly generation: number;
    readonly step: string;
    readonly reason: string;
  } | null;
  /** Of the open generation: what retries raised. */
  readonly redo: Readonly<Partial<Record<StepName, number>>>;
  /** Humans' interventions that no decided generation took. */
  readonly injected: readonly BodyOf<'intervention-injected'>[];
  /** Ids of what the open generation proposed or refused, at its last attempt that came so far. */
  readonly proposed: readonly string[];
  /** Ids of messages that were taken. */
  readonly heardIds: readonly string[];
  readonly messages: number;
  readonly ended: BodyOf<'campaign-ended'> | null;
  /** Branches of the generation still open, by name. */
  readonly trained: Readonly<Record<string, BodyOf<'branch-trained'>>>;
}

export const emptyFold: CampaignFold = {
  campaign: null,
  entries: 0,
  last: null,
  calibrated: null,
  incumbent: null,
  incumbentSteps: null,
  lineage: [],
  harness: null,
  revised: null,
  reservations: [],
  testsSpent: 0,
  skills: [],
  closed: [],
  parked: null,
  redo: {},
  injected: [],
  proposed: [],
  heardIds: [],
  messages: 0,
  ended: null,
  trained: {},
};

/** Folds records in order of their numbers; a fold goes on where another ended. Check the chain first. */
export const foldLedger = (
  records: readonly Linked[],
  from: CampaignFold = emptyFold,
): CampaignFold =>
  records.reduce((fold, record) => {
    const { campaign, draft } = record.entry;
    const next = foldDraft(fold, draft);
    return { ...next, campaign, entries: fold.entries + 1, last: record };
  }, from);

function foldDraft(fold: CampaignFold, draft: LedgerDraft): CampaignFold {
  const { generation } = draft;
  switch (draft.kind) {
    case 'calibrated': {
      const { warmStart: candidate, harness } = draft.body;
      const lineage = [{ generation, branch: null, candidate, steps: null }];
      const calibrated = { calibrated: draft.body, incumbent: candidate, lineage, harness };
      // Tests are counted within an epoch.
      const counts = { incumbentSteps: null, reservations: [], testsSpent: 0, redo: {} };
      return { ...fold, ...calibrated, ...counts };
    }
    case 'harness-revised':
      return { ...fold, revised: draft.body.harness };
    case 'branch-trained':
      return { ...fold, trained: { ...fold.trained, [draft.body.branch]: draft.body } };
    case 'test-reserved': {
      const reservations = [...fold.reservations, { ...draft.body, generation }];
      return { ...fold, reservations, testsSpent: Math.max(fold.testsSpent, draft.body.test) };
    }
    case 'proposed': {
      const { interventions, refused } = draft.body;
      return { ...fold, proposed: [...interventions, ...refused].map(({ id }) => id) };
    }
    case 'branches-decided':
      return {
        ...foldDecision(fold, generation, draft.body),
        injected: fold.injected.filter(
          ({ intervention }) => !fold.proposed.includes(intervention.id),
        ),
        harness: fold.revised ?? fold.harness,
        ...close(fold, generation),
      };
    case 'skills-recorded':
      return { ...fold, skills: mergeSkills(fold.skills, draft.body.skills) };
    case 'message-received': {
      const { id, accepted } = draft.body;
      const heardIds = accepted ? [...fold.heardIds, id] : fold.heardIds;
      return { ...fold, heardIds, messages: fold.messages + 1 };
    }
    case 'intervention-injected':
      return { ...fold, injected: [...fold.injected, draft.body] };
    case 'generation-retried':
      return { ...fold, redo: draft.body.redo };
    case 'generation-parked': {
      const { step, reason } = draft.body;
      return { ...fold, parked: { generation, step, reason } };
    }
    case 'generation-skipped':
      return { ...fold, ...close(fold, generation) };
    case 'campaign-ended':
      return { ...fold, ended: draft.body };
    case 'diagnosed':
    case 'backtested':
    case 'screened':
    case 'gate-verdict':
      return fold;
  }
}

/** Reservations of one epoch, oldest first; a retry that found its own wrote none. `from`: the epoch of the first record. */
export function reservationsOf(
  records: readonly Pick<LedgerRecord, 'entry'>[],
  epoch: string,
  from: string | null = null,
): Reservation[] {
  let current = from;
  return records.flatMap(({ entry: { draft } }) => {
    if (draft.kind === 'calibrated') current = draft.body.epoch;
    const isOwn = draft.kind === 'test-reserved' && current === epoch;
    return isOwn ? [{ ...draft.body, generation: draft.generation }] : [];
  });
}

const close = (fold: CampaignFold, generation: number) => ({
  closed: [...fold.closed.filter((one) => one !== generation), generation].toSorted(
    (a, b) => a - b,
  ),
  parked: null,
  redo: {},
  proposed: [],
  trained: {},
  revised: null,
});

const isSame = (left: Candidate, right: Candidate): boolean =>
  left.policy.sha256 === right.policy.sha256 && left.recipe.sha256 === right.recipe.sha256;

function foldDecision(
  fold: CampaignFold,
  generation: number,
  body: BodyOf<'branches-decided'>,
): CampaignFold {
  const { incumbent: candidate, branches } = body;
  const held = fold.lineage.findIndex((ancestor) => isSame(ancestor.candidate, candidate));
  const branch = branches.find(({ decision }) => decision === 'promote')?.branch ?? null;
  if (branch === null && held >= 0) {
    const lineage = fold.lineage.slice(0, held + 1);
    return {
      ...fold,
      incumbent: candidate,
      incumbentSteps: lineage.at(-1)?.steps ?? null,
      lineage,
    };
  }
  const steps = (branch === null ? undefined : fold.trained[branch]?.artifacts['metrics']) ?? null;
  const lineage = [...fold.lineage, { generation, branch, candidate, steps }];
  return { ...fold, incumbent: candidate, incumbentSteps: steps, lineage };
}
