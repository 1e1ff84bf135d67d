// What flows into, through and out of one generation and its branches. References and small numbers only.
import type { ScreenedBranch } from './gate/verdict.ts';
import type { ArtifactRef } from './schemas/artifact.ts';
import type { CampaignConfig } from './schemas/campaign-config.ts';
import type { Intervention } from './schemas/intervention.ts';
import type { Candidate, Guard, LedgerDraft } from './schemas/ledger-entry.ts';
import type { StepName } from './steps.ts';
import type { GenerationView } from './campaign-view.ts';

/** Where a campaign's activities find its stores and its executor. */
export interface CampaignScope {
  readonly campaign: string;
  readonly domain: string;
  readonly environment: CampaignConfig['environment'];
  readonly store: string | null;
  readonly sealedStore: string | null;
  readonly executor: CampaignConfig['executor'];
}

export const scopeOf = ({
  name,
  domain,
  environment,
  store,
  sealed_store: sealedStore,
  executor,
}: CampaignConfig): CampaignScope => ({
  campaign: name,
  domain,
  environment,
  store,
  sealedStore,
  executor,
});

/** The comparability epoch: what is frozen, by digest. Results of different epochs are never compared. */
export interface Epoch {
  readonly digest: string;
  readonly trainerDigest: string;
  readonly gateSecretId: string;
  readonly warmStart: Candidate;
  /** Sealed results of the warm start's own SELECT and CANARY. */
  readonly warmStartResults: { readonly select: ArtifactRef; readonly canary: ArtifactRef };
}

export interface Evidence {
  readonly train: ArtifactRef;
  readonly diag: ArtifactRef;
  readonly labels: ArtifactRef;
}

/** What the campaign tells its open generation, always whole: the newest state wins. */
export interface ControlState {
  readonly pause: 'drain' | 'checkpoint' | null;
  readonly injected: readonly Intervention[];
  readonly messages: readonly LedgerDraft[];
}

/** What the gate's activities must know of a generation. */
export interface Judged {
  readonly scope: CampaignScope;
  readonly config: Pick<CampaignConfig, 'domain' | 'evaluation' | 'gate'>;
  readonly epoch: Pick<Epoch, 'digest' | 'warmStartResults'>;
  readonly generation: number;
  readonly incumbent: Candidate;
}

/** Without what calibration alone reads. */
export type GenerationConfig = Omit<CampaignConfig, 'policy' | 'warmup' | 'recipe'>;

export interface GenerationInput {
  readonly scope: CampaignScope;
  readonly config: GenerationConfig;
  readonly epoch: Epoch;
  readonly generation: number;
  readonly attempt: number;
  readonly redo: Readonly<Partial<Record<StepName, number>>>;
  readonly incumbent: Candidate;
  /** optimizer_metrics.jsonl of the run that made the incumbent. */
  readonly incumbentSteps: ArtifactRef | null;
  readonly harness: ArtifactRef;
  /** What decided generations left; null for the first. */
  readonly memory: ArtifactRef | null;
  readonly testsSpent: number;
  readonly control: ControlState;
}

export interface GenerationResult {
  readonly generation: number;
  readonly incumbent: Candidate;
  readonly incumbentSteps: ArtifactRef | null;
  readonly harness: ArtifactRef;
  readonly memory: ArtifactRef;
  readonly skillsKnown: number;
  readonly view: GenerationView;
  /** Keys of the campaign's entries that it wrote to the ledger. */
  readonly written: readonly string[];
  readonly testsSpent: number;
  /** Ids of injected interventions that took a place. */
  readonly injectedUsed: readonly string[];
}

export interface BranchInput {
  readonly scope: CampaignScope;
  readonly config: Pick<
    CampaignConfig,
    'seed' | 'budget' | 'checkpoint_every' | 'rollout' | 'temporal'
  >;
  readonly epoch: Pick<Epoch, 'trainerDigest' | 'gateSecretId'>;
  readonly generation: number;
  readonly attempt: number;
  readonly redo: number;
  readonly branch: string;
  readonly incumbent: Candidate;
  readonly harness: ArtifactRef;
  readonly intervention: Pick<Intervention, 'operator' | 'patch'> | null;
  readonly pause: ControlState['pause'];
}

export interface TrainedBranch {
  readonly branch: string;
  readonly candidate: Candidate;
  readonly artifacts: {
    readonly diag: ArtifactRef;
    readonly metrics: ArtifactRef;
    readonly train: ArtifactRef;
  };
  readonly rewardMean: number | null;
}

export type BranchOutcome =
  | ({ readonly status: 'ok' } & TrainedBranch)
  /** The branch's own outcome: diverged, out of memory, or a recipe the trainer refuses. */
  | {
      readonly status: 'failed';
      readonly branch: string;
      readonly kind: string;
      readonly message: string;
    };

/** With what its generation tried in it. */
export type BranchResult = BranchOutcome & { readonly intervention: Intervention | null };

/** What the screen reads of a branch. */
export type Screenable =
  | (Pick<TrainedBranch, 'branch' | 'candidate'> & {
      readonly status: 'ok';
      readonly artifacts: Pick<TrainedBranch['artifacts'], 'diag'>;
    })
  | { readonly status: 'failed'; readonly branch: string; readonly kind: string };

export interface Screened {
  readonly branches: readonly ScreenedBranch[];
  readonly incumbentSelectMean: number | null;
  /** The one branch that meets the test, with its reservation. */
  readonly challenger: {
    readonly branch: string;
    readonly test: number;
    readonly alpha: number;
  } | null;
}

export interface GateVerdict {
  readonly branch: string;
  readonly verdict: 'promote' | 'reject' | 'no-decision';
  readonly guard: Guard | null;
  readonly why: string;
  /** Categories that the promoted one has lost, now or before, and has not won back. */
  readonly conditional: readonly string[];
}
