// The answer to a campaign's `status` query, shown by the CLI, the UI and the report.
import type { Arm } from './arm.ts';
import type { OpenApproval } from './schemas/approval.ts';
import type { RunUsage } from './run-usage.ts';
import { fromSender } from './sender.ts';
import type { Effect } from './stats/seed-spread.ts';

export type CampaignPhase =
  | 'calibrating'
  | 'evolving'
  | 'paused'
  | 'awaiting'
  | 'parked'
  | 'finished'
  | 'stopped'
  | 'aborted';

/** The suffix of a score: the categories that were lost. */
export const lossesOf = (categories: readonly string[]): string =>
  categories.length === 0 ? '' : ` without ${categories.join(', ')}`;

/** A test's numbers, and the campaign that reserved it. */
export interface TestNumbers {
  readonly test: number;
  readonly testOfCampaign: number;
  readonly reservedBy: string;
}

/** For example `test 1 of this campaign, 14 of this family`. */
export const testText = (
  { test, testOfCampaign, reservedBy }: TestNumbers,
  campaign: string,
): string =>
  reservedBy === campaign
    ? `test ${testOfCampaign} of this campaign, ${test} of this family`
    : `test ${test} of this family, of campaign ${reservedBy}`;

/** The sentence on the test, and the one on the recipe change where there is one. */
export const verdictText = ({
  why,
  recipe,
}: {
  readonly why: string;
  readonly recipe: string | null;
}): string => (recipe === null ? why : `${why}; ${recipe}`);

export interface BranchView {
  readonly branch: string;
  /** Null for the control. */
  readonly operator: string | null;
  readonly hypothesis: string | null;
  readonly state: 'training' | 'trained' | 'failed' | 'decided';
  readonly decision: string | null;
  /** The guard that decided; null where none did. */
  readonly guard: string | null;
  readonly why: string | null;
  readonly selectMean: number | null;
  /** Mean training reward of its last optimizer step. */
  readonly rewardMean: number | null;
  /** Paired difference from b0 on SELECT, once it is decided. */
  readonly effect?: Effect | null | undefined;
}

export interface GenerationView {
  readonly generation: number;
  readonly attempt: number;
  readonly step: string | null;
  readonly bottleneck: string | null;
  readonly branches: readonly BranchView[];
  readonly verdict: {
    readonly branch: string;
    readonly verdict: string;
    readonly guard: string | null;
    readonly why: string;
    /** What became of its recipe change; null for the control, and without a promotion. */
    readonly recipe: string | null;
    readonly test: TestNumbers;
  } | null;
  readonly incumbentSelectMean: number | null;
  /** What the second training of b0 showed; null without one. */
  readonly repeated: string | null;
  /** Notices for humans, such as drifting backtests. */
  readonly notices: readonly string[];
  /** The branch of an earlier generation that this one withdrew. */
  readonly withdrawn?: string | null | undefined;
  /** Specialists whose inquiry is open for an agent of the user's. */
  readonly agents?: readonly string[] | undefined;
  /** The last question to a person; the campaign knows whether it was answered. */
  readonly approval: OpenApproval | null;
}

/** The part that the campaign's state determines. */
export interface StateView {
  readonly campaign: string;
  readonly domain: string;
  readonly arm: Arm;
  readonly phase: CampaignPhase;
  readonly generation: number;
  readonly generationsPlanned: number;
  readonly step: string | null;
  readonly incumbent: {
    readonly policy: string;
    readonly recipe: string;
    readonly isWarmStart: boolean;
    readonly selectMean: number | null;
    /** Categories that it lost; shown with its score. */
    readonly lostCategories: readonly string[];
  } | null;
  readonly warmStartSelectMean: number | null;
  readonly testsSpent: number;
  readonly pause: {
    readonly mode: 'drain' | 'checkpoint';
    readonly reason: string | null;
    readonly by: string | null;
  } | null;
  readonly parked: {
    readonly generation: number;
    readonly step: string;
    readonly reason: string;
  } | null;
  /** What waits for the answer of a person. */
  readonly approval: OpenApproval | null;
  readonly pendingInterventions: readonly {
    readonly id: string;
    readonly operator: string;
    readonly hypothesis: string;
  }[];
  /** Newest last, the last 20. */
  readonly messages: readonly {
    readonly message: string;
    readonly id: string | null;
    readonly by: string | null;
    readonly accepted: boolean;
    readonly reason: string | null;
  }[];
  /** Messages that were neither taken nor recorded, because too many came. */
  readonly messagesDropped: number;
  /** Finished generations, oldest first, and the current one last. */
  readonly generations: readonly GenerationView[];
  readonly skills: number;
}

export interface CampaignView extends StateView {
  readonly run: RunUsage;
  /** Specialists whose inquiries wait for an agent of the user's. */
  readonly agents: readonly string[];
  /** By which approvals of what unconfined agents offered are signed; null if nobody was shown a code. */
  readonly approvalKey?: string | null;
}

/** The newest message with its refusal, because the sender of a signal gets no answer. Null if it was accepted. */
export function newestRefusal({ messages }: Pick<StateView, 'messages'>): string | null {
  const newest = messages.at(-1);
  if (newest === undefined || newest.accepted) return null;
  const { message, by } = newest;
  return `${message}${fromSender(by)}: ${refusalReason(newest)}`;
}

/** The reason without the message's name, with which the reason of a malformed message begins. */
export function refusalReason({
  message,
  reason,
}: Pick<CampaignView['messages'][number], 'message' | 'reason'>): string {
  const named = `${message}: `;
  return (reason?.startsWith(named) ? reason.slice(named.length) : reason) ?? 'no reason given';
}

/** The answer of an update: what the message did. */
export interface MessageAnswer {
  readonly accepted: boolean;
  readonly reason: string | null;
}
