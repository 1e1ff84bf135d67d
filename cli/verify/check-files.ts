// Reads the ledger and the manifests of a campaign again.
import { isStoreError } from '../../activities/ports/store-error.ts';
import type { Store } from '../../activities/ports/store.ts';
import { sha256Hex } from '../../activities/shared/digest.ts';
import { type ChainProblem, verifyChain } from '../../core/ledger.ts';
import { mapLimited } from '../../core/map-limited.ts';
import type { LedgerRecord } from '../../core/schemas/ledger-entry.ts';
import { parseLedgerRecord } from '../../core/schemas/parse-ledger-record.ts';
import { type CampaignArchive, ledgerKeysOf } from '../archive.ts';
import { checkManifests, type ManifestCheck, type NamingFile } from './check-manifests.ts';

export interface FileCheck {
  /** The entries that can be read, in order. */
  readonly records: readonly LedgerRecord[];
  readonly entries: number;
  /** Every entry can be read. */
  readonly isComplete: boolean;
  readonly chain: readonly ChainProblem[];
  readonly manifests: Omit<ManifestCheck, 'naming'>;
  /** The files whose objects are the campaign's. */
  readonly naming: readonly NamingFile[];
}

const READS_AT_ONCE = 16;

/** Goes on after a damaged file. Exit 3 for a campaign without a ledger. */
export async function checkFiles(
  archive: Pick<CampaignArchive, 'campaign' | 'stores' | 'openUrl'>,
): Promise<FileCheck> {
  const { campaign, stores } = archive;
  const keys = await ledgerKeysOf(archive);
  const read = await mapLimited(keys, READS_AT_ONCE, async (key) => readEntry(stores.open, key));
  const records = read.flatMap((entry) => ('record' in entry ? [entry.record] : []));
  const damaged = read.flatMap((entry) => ('problem' in entry ? [entry] : []));
  const { naming, ...manifests } = await checkManifests(campaign, records, stores);
  return {
    records,
    entries: keys.length,
    isComplete: damaged.length === 0,
    // Next to a gap, the chain is broken in any case.
    chain: damaged.length > 0 ? damaged : verifyChain(records, sha256Hex),
    manifests,
    naming,
  };
}

async function readEntry(
  store: Store,
  key: string,
): Promise<{ readonly record: LedgerRecord } | ChainProblem> {
  const number = Number(/(\d+)\.json$/.exec(key)?.[1] ?? 0);
  try {
    const parsed = parseLedgerRecord(await store.readManifest(key));
    return 'record' in parsed ? parsed : { number, problem: `${parsed.problem} [${key}]` };
  } catch (error) {
    if (!isStoreError(error)) throw error;
    return { number, problem: error.message };
  }
}
