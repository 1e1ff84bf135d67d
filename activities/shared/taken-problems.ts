// The problems that a campaign took after its start, in the open root; references to sealed ones tell nothing.
import { canonicalJson } from '../../core/canonical-json.ts';
import { storeKeys } from '../../core/ids.ts';
import { type TakenProblems, takenProblemsSchema } from '../../core/schemas/staged.ts';
import type { Store } from '../ports/store.ts';
import { readManifests, TRIES_MAX } from './register.ts';

/** Oldest first. A domain that draws its problems takes none, so do not ask for it: some stores are slow to list. */
export const readTaken = async (store: Store, campaign: string): Promise<TakenProblems[]> =>
  readManifests(store, storeKeys.takenProblems(campaign), takenProblemsSchema);

/** Idempotent: what is the newest already is not recorded again. */
export async function recordTaken(
  store: Store,
  campaign: string,
  taken: TakenProblems,
): Promise<void> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const known = await readTaken(store, campaign);
    if (canonicalJson(known.at(-1) ?? null) === canonicalJson(taken)) return;
    const key = storeKeys.takenProblemsAt(campaign, known.length + 1);
    if ((await store.createManifest(key, taken)).status === 'created') return;
  }
  throw new Error(
    `others take problems for ${campaign} at the same time [${store.root}]: try again`,
  );
}
