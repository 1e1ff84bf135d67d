import type { Option } from '../../core/harness/gap.ts';
import type { Procedure } from '../../core/harness/procedure.ts';
import type { Split } from '../../core/harness/specialise.ts';
import type { Gap } from '../../core/schemas/gap.ts';
import type { Harness, HealthReport, Operator } from '../../core/schemas/harness.ts';
import type { Intervention } from '../../core/schemas/intervention.ts';
import type { Memory } from '../../core/memory.ts';
import type { Recipe } from '../../core/schemas/recipe.ts';

/** A detector as a researcher offers it; it guards nothing before admission measured it. */
export interface OfferedDetector {
  readonly head: object;
  readonly sql: string;
}

/** A change of the harness, on one of three axes. Each is measured or checked before it counts. */
export type Revision = { readonly why: string } & (
  | { readonly axis: 'metric-expansion'; readonly detector: OfferedDetector }
  | { readonly axis: 'analyzer-specialisation'; readonly metric: string; readonly split: Split }
  | { readonly axis: 'procedure-change'; readonly procedure: Procedure }
);

/** Where predicates hold: a character a trajectory, '1' or '0', all texts in one order. */
export interface Marks {
  /** Unearned successes that no admitted or blocking detector of the harness finds. */
  readonly cases: string;
  readonly honest: string;
  readonly predicates: readonly string[];
}

/**
 * The half of the labelled trajectories that may be mined.
 *
 * **Contract:** deterministic; answers for trajectories of its own half alone, and shows no row, id or task. What is
 * asked are expressions over the facts of one trajectory; any other is AnalyticsError `query` and names itself.
 */
export interface LabelledHalf {
  marks(predicates: readonly string[]): Promise<Marks>;
  /** By list expression: the texts that at least so many trajectories hold, most frequent first. */
  values(
    lists: readonly string[],
    limits: { readonly trajectoriesMin: number; readonly valuesMax: number },
  ): Promise<readonly (readonly string[])[]>;
  /** By number: quantiles at which it can be parted, ascending. */
  bounds(numbers: readonly string[]): Promise<readonly (readonly number[])[]>;
}

export interface ReviseInput {
  readonly generation: number;
  /** At least one. */
  readonly gaps: readonly Gap[];
  readonly health: HealthReport;
  readonly harness: Harness;
  /** Operators that answer what fired, and why each is no step to take. */
  readonly options: readonly Option[];
  /** The catalogue's operators, which a change of procedure may take in. */
  readonly operators: readonly Operator[];
  /** Null where nothing is labelled. */
  readonly labelled: LabelledHalf | null;
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
 * Proposes changes of the harness, where there is a diagnostic gap, and of the recipe.
 *
 * **Contract:** `catalog` is deterministic. Sees TRAIN and DIAG with DIAG labels, one SELECT mean a branch, and of
 * PROMOTION, CANARY and FINAL nothing but verdict and guard name. What it returns is untrusted: the activities check
 * every intervention and every expression again. Ids of interventions are `g<generation>-<operator>`.
 */
export interface Researcher {
  revise(input: ReviseInput): Promise<readonly Revision[]>;
  propose(input: ProposeInput): Promise<Proposal>;
}
