// The values that flow into, through and out of one generation and its branches: references and small numbers only.
import type { GenerationView, TestNumbers } from './campaign-view.ts';
import type { ScreenedBranch } from './gate/verdict.ts';
import type { Effect } from './stats/seed-spread.ts';
import type { StepJob } from './job-plan.ts';
import { nothingGranted } from './research/purse.ts';
import type { GivenAnswer, Granted } from './schemas/approval.ts';
import type { ArtifactRef } from './schemas/artifact.ts';
import type { ApprovalPoint } from './schemas/autonomy.ts';
import type { CampaignConfig } from './schemas/campaign-config.ts';
import type { GenerationContext } from './schemas/generation-context.ts';
import type { Intervention } from './schemas/intervention.ts';
import type { Candidate, Guard } from './schemas/ledger-entry.ts';
import type { TestPool } from './schemas/pool.ts';
import type { StepName } from './steps.ts';

/** Where a campaign's activities find its stores and its executor. */
export interface CampaignScope {
  readonly campaign: string;
  readonly domain: string;
  readonly environment: CampaignConfig['environment'];
  readonly trainer: CampaignConfig['trainer'];
  readonly player: CampaignConfig['player'];
  readonly store: string | null;
  readonly sealedStore: string | null;
  readonly storeGroupAccess: CampaignConfig['store_group_access'];
  readonly executor: CampaignConfig['executor'];
  readonly providers: CampaignConfig['providers'];
}

export const scopeOf = ({
  name,
  domain,
  environment,
  trainer,
  player,
  store,
  sealed_store: sealedStore,
  store_group_access: storeGroupAccess,
  executor,
  providers,
}: CampaignConfig): CampaignScope => ({
  campaign: name,
  domain,
  environment,
  trainer,
  player,
  store,
  sealedStore,
  storeGroupAccess,
  executor,
  providers,
});

/** What people sent, as the open generation needs it. */
export interface Instructions {
  readonly pause: 'drain' | 'checkpoint' | null;
  readonly injected: readonly Intervention[];
  readonly answers: readonly GivenAnswer[];
  readonly granted: Granted;
}

export const noInstructions: Instructions = {
  pause: null,
  injected: [],
  answers: [],
  granted: nothingGranted,
};

export interface GenerationInput {
  readonly context: GenerationContext;
  readonly attempt: number;
  readonly redo: Readonly<Partial<Record<StepName, number>>>;
  readonly testsSpent: number;
  /** Where it waits for the approval of a person. */
  readonly asks: readonly ApprovalPoint[];
  /** By which approvals of what unconfined agents offered are signed; null or absent = nobody was shown a code. */
  readonly approvalKey?: string | null | undefined;
  readonly instructions: Instructions;
}

export interface GenerationResult {
  readonly generation: number;
  readonly incumbent: Candidate;
  readonly incumbentOptimizerMetrics: ArtifactRef | null;
  readonly harness: ArtifactRef;
  readonly memory: ArtifactRef;
  readonly skillsKnown: number;
  readonly view: GenerationView;
  readonly testsSpent: number;
  /** Ids of the injected interventions that this generation proposed. */
  readonly injectedUsed: readonly string[];
}

/** The campaign, trainer and harness that a job runs under. */
export interface JobScope {
  readonly scope: CampaignScope;
  readonly trainerDigest: string;
  readonly gateSecretId: string;
  readonly harness: ArtifactRef;
}

export interface BranchInput {
  readonly job: JobScope;
  readonly heartbeatTimeoutS: number;
  readonly branch: string;
  /** Id of the branch's intervention; null for the control. */
  readonly intervention: string | null;
  readonly train: StepJob;
  readonly pause: Instructions['pause'];
}

export interface TrainedBranch {
  readonly status: 'ok';
  readonly branch: string;
  /** Id of its intervention; null for the control. */
  readonly intervention: string | null;
  readonly candidate: Candidate;
  readonly artifacts: {
    readonly diag: ArtifactRef;
    readonly optimizerMetrics: ArtifactRef;
    readonly train: ArtifactRef;
  };
  readonly rewardMean: number | null;
}

/** A branch's own outcome other than a checkpoint: diverged, out of memory, or a recipe that the trainer refuses. */
export interface FailedBranch {
  readonly status: 'failed';
  readonly branch: string;
  readonly intervention: string | null;
  readonly kind: string;
  readonly message: string;
}

export type BranchOutcome = TrainedBranch | FailedBranch;

export const isTrained = (outcome: BranchOutcome): outcome is TrainedBranch =>
  outcome.status === 'ok';

/** The one branch that is tested, with the test that the register has for it and the incumbent. */
export type Challenger = TrainedBranch & {
  /** Number in the family. */
  readonly test: number;
  /** The bound of its error. */
  readonly alpha: number;
  /** Null where problems are drawn for the test alone. */
  readonly pool: TestPool | null;
  readonly testOfCampaign: number;
  readonly reservedBy: string;
  /**
   * Null if this campaign is to play the test. Otherwise the results of its verdict, or none if another campaign
   * reserved it and has no verdict.
   */
  readonly played: readonly ArtifactRef[] | null;
};

export interface Screening {
  readonly branches: readonly ScreenedBranch[];
  readonly incumbentSelectMean: number | null;
  /** One sentence on the second training of b0; null without one. */
  readonly repeated: string | null;
  /** Null if no branch may be tested. */
  readonly challenger: Challenger | null;
  /** The branch that becomes the incumbent without a test; null if there is none, and always with a gate. */
  readonly accepted: string | null;
}

/** Whether the challenger's recipe change is adopted, and what its seeds showed on SELECT. */
export interface RecipeVerdict {
  readonly branch: string;
  readonly adopted: boolean;
  /** One sentence without figures. */
  readonly why: string;
  /** Difference from b0 on SELECT over fresh seeds; null without any. */
  readonly effect: Effect | null;
}

export interface GateVerdict {
  readonly branch: string;
  readonly verdict: 'promote' | 'reject' | 'no-decision';
  readonly guard: Guard | null;
  readonly why: string;
  readonly test: TestNumbers;
  /** Categories that the promoted one has lost, in this generation or before, and has not won back. */
  readonly lostCategories: readonly string[];
}
