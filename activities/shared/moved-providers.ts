// Where the models of a campaign answer since its newest start, in the open root.
import { canonicalJson } from '../../core/canonical-json.ts';
import { storeKeys } from '../../core/ids.ts';
import { type MovedProviders, movedProvidersSchema } from '../../core/schemas/researcher-config.ts';
import type { Store } from '../ports/store.ts';
import { parseManifest } from './parse-manifest.ts';
import { TRIES_MAX } from './register.ts';

type Addresses = MovedProviders['addresses'];

/** The newest addresses; null if the campaign has those that it was started with. */
export async function readAddresses(store: Store, campaign: string): Promise<Addresses | null> {
  const key = (await store.listManifests(storeKeys.movedProviders(campaign))).at(-1);
  if (key === undefined) return null;
  const content = await store.readManifest(key);
  return parseManifest(store, key, movedProvidersSchema, content, 'addresses of providers')
    .addresses;
}

/** Idempotent: what is the newest already is not recorded again. */
export async function recordAddresses(
  store: Store,
  campaign: string,
  addresses: Addresses,
): Promise<void> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const known = await store.listManifests(storeKeys.movedProviders(campaign));
    const newest = await readAddresses(store, campaign);
    if (canonicalJson(newest) === canonicalJson(addresses)) return;
    const key = storeKeys.movedProvidersAt(campaign, known.length + 1);
    const made = await store.createManifest(key, { version: 1, addresses });
    if (made.status === 'created') return;
  }
  throw new Error(
    `others move providers of ${campaign} at the same time [${store.root}]: try again`,
  );
}
