import { activity } from './activity.ts';
import type { GivenDraft } from '../core/drafts.ts';
import type { CampaignScope } from '../core/generation.ts';
import type { LedgerDraft } from '../core/schemas/ledger-entry.ts';

/** Entries about messages wait here and are written before the entries of the next step. */
export class LedgerOutbox {
  readonly #scope: CampaignScope;
  readonly #waiting: () => readonly LedgerDraft[];
  readonly #settle: (written: readonly LedgerDraft[]) => void;

  constructor(
    scope: CampaignScope,
    waiting: () => readonly LedgerDraft[],
    settle: (written: readonly LedgerDraft[]) => void,
  ) {
    this.#scope = scope;
    this.#waiting = waiting;
    this.#settle = settle;
  }

  /** Appends all waiting entries, then `drafts`. Throws what the activity throws; the entries then keep waiting. */
  async append(drafts: readonly GivenDraft[]): Promise<void> {
    const waiting = this.#waiting();
    if (waiting.length + drafts.length === 0) return;
    await activity('ledger').appendLedger({ scope: this.#scope, drafts: [...waiting, ...drafts] });
    this.#settle(waiting);
  }
}
