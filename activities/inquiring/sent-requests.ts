// The requests of one step of an inquiry, recorded before they are sent: what was reserved for a reply that never
// arrived stays spent, whichever worker sent it.
import { z } from 'zod';
import { storeKeys } from '../../core/ids.ts';
import { addSpend, nothingSpent, type Spend } from '../../core/research/purse.ts';
import { spendSchema } from '../../core/schemas/inquiry.ts';
import type { Store } from '../ports/store.ts';

/** Of one step. Patience and the budget end an inquiry long before. */
const REQUESTS_MAX = 1000;

const sentSchema = z.object({ reserve: spendSchema });

/** Reserves the next request and returns its number. Create-only, so that two workers never share one. */
export async function recordRequest(store: Store, key: string, reserve: Spend): Promise<number> {
  const first = (await store.listManifests(storeKeys.asks(key))).length + 1;
  for (let number = first; number < first + REQUESTS_MAX; number += 1) {
    const made = await store.createManifest(storeKeys.ask(key, number), { version: 1, reserve });
    if (made.status === 'created') return number;
  }
  throw new RangeError(`more than ${REQUESTS_MAX} requests of one step`);
}

/** The provider charged nothing for it. */
export const returnReserve = async (store: Store, key: string, number: number): Promise<void> => {
  await store.createManifest(storeKeys.askReturned(key, number), { version: 1 });
};

/** Requests that were sent and have no reply, except the one that has. */
export async function lostRequests(
  store: Store,
  key: string,
  answered: number | null,
): Promise<{ readonly count: number; readonly spend: Spend }> {
  const keys = new Set(await store.listManifests(storeKeys.asks(key)));
  const lost = [];
  for (let number = 1; number <= REQUESTS_MAX; number += 1) {
    const path = storeKeys.ask(key, number);
    if (number === answered || keys.has(storeKeys.askReturned(key, number))) continue;
    if (keys.has(path)) lost.push(path);
  }
  const spends = await Promise.all(
    lost.map(async (path) => sentSchema.parse(await store.readManifest(path)).reserve),
  );
  return { count: lost.length, spend: spends.reduce(addSpend, nothingSpent) };
}
