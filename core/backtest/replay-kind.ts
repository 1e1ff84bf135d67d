// The interface of all kinds that replay a changed recipe over archived trajectories.
import type { Recipe } from '../schemas/recipe.ts';
import type { BacktestKind } from './vocabulary.ts';

/** The incumbent's recipe, and the same with one intervention's patch. */
export interface RecipeChange {
  readonly before: Recipe;
  readonly after: Recipe;
}

export type Figures = Readonly<Record<string, number | null>>;

/** The result of a kind: figures by name, a sentence with them, and the reason if the archive refuses the change. */
export interface ReplayReading {
  readonly figures: Figures;
  readonly summary: string;
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

/** One-sided confidence of every figure that a rejection is based on, as in the gate. */
export const PROOF_LEVEL = 0.95;
