// The input and the result that all kinds of revision share.
import type { Harness, Operator } from '../../core/schemas/harness.ts';
import type { Recipe } from '../../core/schemas/recipe.ts';
import type { HarnessChange } from '../../core/schemas/revision.ts';
import type { Analytics } from '../ports/analytics.ts';
import type { TrajectorySets } from '../reading/trajectory-tables.ts';
import type { StoredSet } from './review-detectors.ts';

export interface RevisionContext {
  readonly analytics: Analytics;
  readonly generation: number;
  /** The catalogue's operators. */
  readonly operators: readonly Operator[];
  /** The incumbent's: what it uses stays. */
  readonly recipe: Recipe;
  /** Labelled sets of all stored generations. */
  readonly sets: readonly StoredSet[];
  /** What the incumbent's health report is read over. */
  readonly current: TrajectorySets;
}

export interface Applied {
  readonly harness: Harness;
  readonly changes: readonly HarnessChange[];
}
