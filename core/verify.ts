// The pure part of `evo verify`: every decision of the gate computed again, and the rules that bind entries together.
import { findDrift } from './backtest/drift.ts';
import { trackForecasts } from './backtest/forecasts.ts';
import { canonicalJson } from './canonical-json.ts';
import { alphaOfTest } from './gate/spending.ts';
import {
  decidePromotion,
  decideScreen,
  type PromotionInput,
  type ScreenInput,
} from './gate/verdict.ts';
import type { ScoredForecast } from './schemas/forecast.ts';
import type { Candidate, LedgerDraft, LedgerRecord } from './schemas/ledger-entry.ts';

type Body<Kind extends LedgerDraft['kind']> = Extract<LedgerDraft, { kind: Kind }>['body'];

export interface Mismatch {
  /** Number of the ledger entry. */
  readonly entry: number;
  readonly field: string;
  /** As JSON. */
  readonly stored: string;
  readonly computed: string;
}

function compare(entry: number, field: string, stored: unknown, computed: unknown): Mismatch[] {
  const [left, right] = [canonicalJson(stored), canonicalJson(computed)];
  return left === right ? [] : [{ entry, field, stored: left, computed: right }];
}

/** A screened entry against the verdicts that its own sealed rows give. */
export function verifyScreened(
  entry: number,
  body: Body<'screened'>,
  input: ScreenInput,
): Mismatch[] {
  const { branches, challenger } = decideScreen(input);
  const computed = branches.map(({ branch, verdict, guard, why }) => ({
    branch,
    verdict,
    guard,
    why,
  }));
  const names = new Set([...computed, ...body.branches].map(({ branch }) => branch));
  const differing = [...names].toSorted().flatMap((name) => {
    const own = (list: readonly { readonly branch: string }[]) =>
      list.find(({ branch }) => branch === name) ?? null;
    return compare(entry, `branches/${name}`, own(body.branches), own(computed));
  });
  return [...differing, ...compare(entry, 'challenger', body.challenger, challenger)];
}

/** A gate-verdict entry against the verdict that its own sealed rows give. */
export function verifyVerdict(
  entry: number,
  body: Body<'gate-verdict'>,
  input: PromotionInput,
): Mismatch[] {
  const { verdict, guard, why, difference, conditional } = decidePromotion(input);
  return [
    ...compare(entry, 'test', body.test, input.test),
    ...compare(entry, 'alpha', body.alpha, input.alpha),
    ...compare(entry, 'verdict', body.verdict, verdict),
    ...compare(entry, 'guard', body.guard, guard),
    ...compare(entry, 'why', body.why, why),
    ...compare(entry, 'difference', body.difference, difference),
    ...compare(entry, 'conditional', body.conditional, conditional),
  ];
}

interface Seen {
  readonly tests: Map<number, Body<'test-reserved'>>;
  readonly trained: Map<string, Candidate | null>;
  readonly screened: Map<number, Body<'screened'>>;
  readonly verdicts: Map<number, Body<'gate-verdict'>>;
  readonly held: Candidate[];
  /** Branch whose promotion a revision withdrew, by the generation of that revision. */
  readonly withdrawn: Map<number, string>;
}

/**
 * What no single entry shows: tests are reserved one after the other with their α_t and before their verdict, for a
 * branch that passed the screen; a branch is promoted by a promoting verdict alone and withdrawn by a revision alone;
 * the incumbent is the promoted one, after a withdrawal one that held before, else who held last; forecasts are scored against what was backtested, and their drift is what they show. `alpha` is
 * the campaign's.
 */
export function verifyRules(
  records: readonly Pick<LedgerRecord, 'entry'>[],
  alpha: number,
): Mismatch[] {
  const seen: Seen = {
    tests: new Map(),
    trained: new Map(),
    screened: new Map(),
    verdicts: new Map(),
    held: [],
    withdrawn: new Map(),
  };
  return [
    ...records.flatMap(({ entry: { number, draft } }) => verifyDraft(number, draft, alpha, seen)),
    ...verifyForecasts(records),
  ];
}

/** Scored again from what was backtested, trained and seen, and not from what an entry says of it. */
function verifyForecasts(records: readonly Pick<LedgerRecord, 'entry'>[]): Mismatch[] {
  const tracked = trackForecasts(records.map(({ entry }) => entry.draft));
  let known: readonly ScoredForecast[] = [];
  return records.flatMap(({ entry: { number, draft } }) => {
    if (draft.kind !== 'branches-decided') return [];
    const own = tracked
      .map(({ forecast }) => forecast)
      .filter(({ generation }) => generation === draft.generation);
    known = [...known, ...own];
    return [
      ...compare(number, 'forecasts', draft.body.forecasts, own),
      ...compare(number, 'drift', draft.body.drift, findDrift(known)),
    ];
  });
}

function verifyDraft(entry: number, draft: LedgerDraft, alpha: number, seen: Seen): Mismatch[] {
  const { generation } = draft;
  switch (draft.kind) {
    case 'calibrated':
      seen.held.push(draft.body.warmStart);
      seen.tests.clear();
      return [];
    case 'branch-trained':
      seen.trained.set(`${generation}/${draft.body.branch}`, draft.body.candidate);
      return [];
    case 'screened':
      seen.screened.set(generation, draft.body);
      return [];
    case 'test-reserved': {
      const test = seen.tests.size + 1;
      seen.tests.set(draft.body.test, draft.body);
      return [
        ...compare(entry, 'test', draft.body.test, test),
        ...compare(entry, 'alpha', draft.body.alpha, alphaOfTest(alpha, test)),
      ];
    }
    case 'gate-verdict':
      seen.verdicts.set(generation, draft.body);
      return verifyReserved(entry, generation, draft.body, seen);
    case 'branches-decided':
      return verifyDecided(entry, generation, draft.body, seen);
    case 'harness-revised': {
      const branch = draft.body.reverted?.branch;
      if (branch === undefined) seen.withdrawn.delete(generation);
      else seen.withdrawn.set(generation, branch);
      return [];
    }
    case 'diagnosed':
    case 'proposed':
    case 'backtested':
    case 'skills-recorded':
    case 'message-received':
    case 'intervention-injected':
    case 'generation-retried':
    case 'generation-parked':
    case 'generation-skipped':
    case 'campaign-ended':
      return [];
  }
}

function verifyReserved(
  entry: number,
  generation: number,
  body: Body<'gate-verdict'>,
  seen: Seen,
): Mismatch[] {
  const reserved = seen.tests.get(body.test) ?? null;
  const candidate = seen.trained.get(`${generation}/${body.branch}`) ?? null;
  return [
    ...compare(entry, 'alpha', body.alpha, reserved?.alpha ?? null),
    ...compare(entry, 'branch', body.branch, seen.screened.get(generation)?.challenger ?? null),
    ...compare(
      entry,
      'challengerPolicy',
      candidate?.policy.sha256 ?? null,
      reserved?.challengerPolicy ?? null,
    ),
    ...compare(
      entry,
      'challengerRecipe',
      candidate?.recipe.sha256 ?? null,
      reserved?.challengerRecipe ?? null,
    ),
  ];
}

const digests = (candidate: Candidate | null | undefined) =>
  candidate ? { policy: candidate.policy.sha256, recipe: candidate.recipe.sha256 } : null;

function verifyDecided(
  entry: number,
  generation: number,
  body: Body<'branches-decided'>,
  seen: Seen,
): Mismatch[] {
  const verdict = seen.verdicts.get(generation);
  const allowed = verdict?.verdict === 'promote' ? [verdict.branch] : [];
  const promoted = body.branches
    .filter(({ decision }) => decision === 'promote')
    .map(({ branch }) => branch);
  const withdrawn = body.branches
    .filter(({ decision }) => decision === 'revert')
    .map(({ branch }) => branch);
  const revised = seen.withdrawn.get(generation);
  const mismatches = [
    ...compare(entry, 'promote', promoted, allowed),
    ...compare(entry, 'revert', withdrawn, revised === undefined ? [] : [revised]),
  ];
  const own = digests(body.incumbent);
  const before = withdrawn.length > 0 ? seen.held : seen.held.slice(-1);
  const expected =
    promoted[0] === undefined ? before : [seen.trained.get(`${generation}/${promoted[0]}`)];
  const isKnown = expected.some((one) => canonicalJson(digests(one)) === canonicalJson(own));
  if (!isKnown) mismatches.push(...compare(entry, 'incumbent', own, digests(expected.at(-1))));
  seen.held.push(body.incumbent);
  return mismatches;
}
