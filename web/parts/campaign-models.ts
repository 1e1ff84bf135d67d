// What the parts of a campaign's pages are made from.
import type { Outage } from '../../core/outage.ts';
import type { Snapshot } from '../../core/snapshot.ts';
import type { ReportModel } from '../report-model.ts';
import type { Addresses } from '../sources.ts';

export interface CampaignModels {
  readonly campaign: string;
  /** From the archive; null while there is no ledger, or where it cannot be read. */
  readonly report: ReportModel | null;
  /** From its workflow; null where no server knows it. Old while there are outages. */
  readonly snapshot: Snapshot | null;
  /** What does not answer now. While there is one, nothing can be changed. */
  readonly outages: readonly Outage[];
  /** What of the archive is damaged, with its cure. */
  readonly damages: readonly string[];
  readonly addresses: Addresses;
  readonly readOnly: boolean;
}
