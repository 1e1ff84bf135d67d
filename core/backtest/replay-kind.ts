// The one interface of the kinds that replay a changed recipe over archived trajectories.
import type { Recipe } from '../schemas/recipe.ts';
import type { BacktestKind } from './vocabulary.ts';

/** The incumbent's recipe, and the same with one intervention's patch. */
export interface RecipeChange {
  readonly before: Recipe;
  readonly after: Recipe;
}

export type Figures = Readonly<Record<string, number | null>>;

/** What a kind found: figures by name, one sentence with them, and why the archive refuses the change, if it does. */
export interface ReplayReading {
  readonly figures: Figures;
  readonly says: string;
  readonly rejected: string | null;
}

export interface ReplayKind {
  readonly kind: BacktestKind;
  appliesTo(change: RecipeChange): boolean;
  /** Expressions over the archive's columns that its query needs, by name. */
  columns(change: RecipeChange): Readonly<Record<string, string>>;
  /** One SELECT of one row of numbers over the relations of archive-query.ts. */
  query(change: RecipeChange): string;
  read(figures: Figures, change: RecipeChange): ReplayReading;
}

/** One-sided confidence of whatever a rejection rests on, as in the gate. */
export const PROOF_LEVEL = 0.95;
