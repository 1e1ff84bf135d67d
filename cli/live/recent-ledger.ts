// The newest entries of a campaign's ledger while it grows. An archive that cannot be read has none: following goes on.
import { isStoreError } from '../../activities/ports/store-error.ts';
import type { Store } from '../../activities/ports/store.ts';
import { storeKeys } from '../../core/ids.ts';
import type { LedgerRecord } from '../../core/schemas/ledger-entry.ts';
import { parseLedgerRecord } from '../../core/schemas/parse-ledger-record.ts';
import { type Moment, momentsOf } from '../../core/time-left.ts';

/** More than five generations write; older ones are in the report. */
const ENTRIES_MAX = 200;

export class RecentLedger {
  readonly #open: Store;
  readonly #campaign: string;
  /** By key, in the order of the keys. Entries are create-only, so each is read once. */
  readonly #known = new Map<string, LedgerRecord>();

  constructor(open: Store, campaign: string) {
    this.#open = open;
    this.#campaign = campaign;
  }

  get records(): readonly LedgerRecord[] {
    return [...this.#known.values()];
  }

  get moments(): Moment[] {
    return momentsOf(this.records);
  }

  /** Reads what is new. An entry that cannot be read is left out: `evo verify` reports it. */
  async refresh(): Promise<void> {
    try {
      const keys = await this.#open.listManifests(storeKeys.ledgerPrefix(this.#campaign));
      const fresh = keys.slice(-ENTRIES_MAX).filter((key) => !this.#known.has(key));
      const read = await Promise.all(fresh.map((key) => this.#open.readManifest(key)));
      for (const [index, content] of read.entries()) {
        const parsed = parseLedgerRecord(content);
        if ('record' in parsed) this.#known.set(fresh[index] ?? '', parsed.record);
      }
    } catch (error) {
      if (!isStoreError(error)) throw error;
    }
  }
}
