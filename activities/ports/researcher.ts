import type { Harness, HealthReport, FeatureDefinition } from '../../core/schemas/harness.ts';
import type { Intervention } from '../../core/schemas/intervention.ts';
import type { Memory } from '../../core/memory.ts';
import type { Recipe } from '../../core/schemas/recipe.ts';

/** A detector that a researcher offers; it guards nothing before admission measured it. */
export interface Revision {
  readonly feature: FeatureDefinition;
  readonly why: string;
}

export interface ReviseInput {
  readonly generation: number;
  readonly gap: string | null;
  readonly health: HealthReport;
  readonly harness: Harness;
}

export interface ProposeInput {
  readonly generation: number;
  readonly health: HealthReport;
  /** Digest of the stored health report, cited as evidence. */
  readonly healthSha256: string;
  readonly harness: Harness;
  readonly recipe: Recipe;
  readonly memory: Memory;
  readonly interventionsMax: number;
}

export interface Proposal {
  readonly interventions: readonly Intervention[];
  /** Operators that answer the bottleneck or a rival and were not taken, each with the reason. */
  readonly refused: readonly { readonly id: string; readonly why: string }[];
}

/**
 * Proposes changes of the harness and of the recipe.
 *
 * **Contract:** `catalog` is deterministic. Sees TRAIN and DIAG with DIAG labels, one SELECT mean a branch, and of
 * PROMOTION, CANARY and FINAL nothing but verdict and guard name. What it returns is untrusted: the activities check
 * every intervention and every expression again. Ids of interventions are `g<generation>-<operator>`.
 */
export interface Researcher {
  revise(input: ReviseInput): Promise<readonly Revision[]>;
  propose(input: ProposeInput): Promise<Proposal>;
}
