// Reads a ledger from its end, so that the cost of an activity does not grow with the ledger.
import { ApplicationFailure } from '@temporalio/common';
import { storeKeys } from '../../core/ids.ts';
import type { LedgerRecord } from '../../core/schemas/ledger-entry.ts';
import { parseLedgerRecord } from '../../core/schemas/parse-ledger-record.ts';
import type { Store } from '../ports/store.ts';

/** Records read at once. */
const BATCH = 16;
/** Two generations of a campaign with four branches. */
const REMEMBERED_MAX = 64;
const CAMPAIGNS_MAX = 200;

/** The last records of ledgers, by campaign. Entries never change, so only newer ones have to be read. */
const remembered = new WeakMap<Store, Map<string, readonly LedgerRecord[]>>();

/**
 * The records from the last one for which `isEnough` holds, in order, or all records if it holds for none. Throws for a
 * record that is missing or cannot be read, and names its key.
 */
export async function readLedgerEnd(
  store: Store,
  campaign: string,
  isEnough: (record: LedgerRecord) => boolean,
): Promise<LedgerRecord[]> {
  let records = await knownEnd(store, campaign);
  cacheRecords(store, campaign, records);
  for (;;) {
    const start = records.findLastIndex(isEnough);
    const first = records[0]?.entry.number ?? 1;
    if (start >= 0 || first === 1) return records.slice(Math.max(0, start));
    const from = Math.max(1, first - BATCH);
    const numbers = Array.from({ length: first - from }, (_, index) => from + index);
    records = [...(await Promise.all(numbers.map(readOf(store, campaign)))), ...records];
  }
}

/** Keeps the last records for the next reader. */
export function cacheRecords(
  store: Store,
  campaign: string,
  records: readonly LedgerRecord[],
): void {
  const known = remembered.get(store) ?? new Map<string, readonly LedgerRecord[]>();
  remembered.set(store, known);
  known.delete(campaign);
  known.set(campaign, records.slice(-REMEMBERED_MAX));
  const [oldest] = known.keys();
  if (known.size > CAMPAIGNS_MAX && oldest !== undefined) known.delete(oldest);
}

async function knownEnd(store: Store, campaign: string): Promise<readonly LedgerRecord[]> {
  const known = remembered.get(store)?.get(campaign) ?? [];
  const last = known.at(-1);
  if (last === undefined) return listedEnd(store, campaign);
  const [same, next] = await Promise.all(
    [0, 1].map(async (more) => tryRead(store, campaign, last.entry.number + more)),
  );
  // The store has another past, for example because it was restored from a copy.
  if (same?.hash !== last.hash) return listedEnd(store, campaign);
  const records = [...known];
  for (let record = next ?? null; record !== null;) {
    records.push(record);
    record = await tryRead(store, campaign, record.entry.number + 1);
  }
  return records;
}

async function listedEnd(store: Store, campaign: string): Promise<LedgerRecord[]> {
  const keys = await store.listManifests(storeKeys.ledgerPrefix(campaign));
  return Promise.all(keys.slice(-BATCH).map(async (key) => parse(store, key)));
}

const readOf = (store: Store, campaign: string) => async (number: number) =>
  parse(store, storeKeys.ledger(campaign, number));

async function tryRead(store: Store, campaign: string, number: number) {
  const key = storeKeys.ledger(campaign, number);
  const content = await store.readManifest(key);
  return content === null ? null : parseContent(store, key, content);
}

const parse = async (store: Store, key: string): Promise<LedgerRecord> =>
  parseContent(store, key, await store.readManifest(key));

function parseContent(store: Store, key: string, content: unknown): LedgerRecord {
  const parsed = parseLedgerRecord(content);
  if ('record' in parsed) return parsed.record;
  // A retry cannot help: a human must restore the entry or choose another name.
  throw ApplicationFailure.nonRetryable(
    `ledger entry [${store.root} ${key}] cannot be read: ${parsed.problem}`,
    'LedgerUnreadable',
  );
}

/** All records in order; throws for an unreadable one and names its key. For readers that run once per campaign. */
export async function readLedger(store: Store, campaign: string): Promise<LedgerRecord[]> {
  const keys = await store.listManifests(storeKeys.ledgerPrefix(campaign));
  return Promise.all(keys.map(async (key) => parse(store, key)));
}
