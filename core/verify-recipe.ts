// A decision on a recipe that another campaign made first, as an entry uses it.
import type { EntryOf } from './ledger.ts';
import { findMismatch, type Mismatch } from './mismatch.ts';
import type { RegisteredAdoption } from './schemas/adoption.ts';

/**
 * The entry must be what was registered. The branches, screen and tasks that it rests on are in the ledger of the
 * campaign that decided, whose verify decides it again.
 */
export function verifyUsedRecipe(
  { number, body }: EntryOf<'recipe-decided'>,
  registered: RegisteredAdoption,
): Mismatch[] {
  const { test, verdict, why, fresh, replicates, results, screened, figures } = registered;
  const seeds = fresh?.seeds ?? 0;
  const adopted = verdict === 'adopt';
  const { branch } = body;
  const used = { test, branch, adopted, why, seeds, replicates, results, screened, figures };
  return findMismatch(number, 'registered decision', body, used);
}
