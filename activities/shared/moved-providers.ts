// Where the models of a campaign answer since its newest start. In the sealed root, because briefs are sent there: whoever
// writes the open root alone must not choose who reads them.
import { canonicalJson } from '../../core/canonical-json.ts';
import { storeKeys } from '../../core/ids.ts';
import { type MovedProviders, movedProvidersSchema } from '../../core/schemas/researcher-config.ts';
import { StoreError } from '../ports/store-error.ts';
import type { Store } from '../ports/store.ts';
import { parseManifest } from './parse-manifest.ts';
import { TRIES_MAX } from './register.ts';

type Addresses = MovedProviders['addresses'];

/** A number of more digits would not be listed after it. */
const NUMBER_MAX = 99_999_999;

/** The newest addresses; null if the campaign has those that it was started with. */
export async function readAddresses(sealed: Store, campaign: string): Promise<Addresses | null> {
  return readNumbered(sealed, campaign, await newestNumber(sealed, campaign));
}

/** Idempotent: what is the newest already is not recorded again. */
export async function recordAddresses(
  sealed: Store,
  campaign: string,
  addresses: Addresses,
): Promise<void> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const number = await newestNumber(sealed, campaign);
    const newest = await readNumbered(sealed, campaign, number);
    if (canonicalJson(newest) === canonicalJson(addresses)) return;
    if (number === NUMBER_MAX) throw lastNumber(storeKeys.movedProvidersAt(campaign, number));
    const key = storeKeys.movedProvidersAt(campaign, number + 1);
    const made = await sealed.createManifest(key, { version: 1, addresses });
    if (made.status === 'created') return;
  }
  throw new Error(`others move providers of ${campaign} at the same time [sealed]: try again`);
}

/** 0 without one. Keys of another form are none of ours. */
async function newestNumber(sealed: Store, campaign: string): Promise<number> {
  const prefix = storeKeys.movedProviders(campaign);
  const names = (await sealed.listManifests(prefix)).map((key) => key.slice(prefix.length));
  return Number(names.findLast((name) => /^\d{8}\.json$/.test(name))?.slice(0, 8) ?? 0);
}

async function readNumbered(
  sealed: Store,
  campaign: string,
  number: number,
): Promise<Addresses | null> {
  if (number === 0) return null;
  const key = storeKeys.movedProvidersAt(campaign, number);
  const content = await sealed.readManifest(key);
  return parseManifest(sealed, key, movedProvidersSchema, content, 'addresses of providers')
    .addresses;
}

const lastNumber = (key: string): StoreError =>
  new StoreError({
    kind: 'damaged',
    where: `sealed ${key}`,
    problem: 'no number is left after this record, which evo did not write',
    cure: 'delete it',
  });
