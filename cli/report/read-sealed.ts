// The figures of the sealed root that a page or report shows, or why it shows none.
import { entriesOf } from '../../core/ledger.ts';
import { foldLedger } from '../../core/ledger-fold.ts';
import { messageOf } from '../../core/message-of.ts';
import type { LedgerRecord } from '../../core/schemas/ledger-entry.ts';
import type { ReportObjects } from '../../web/report-model.ts';
import type { CampaignArchive } from '../archive.ts';
import { type FoundEvidence, readEvidence } from './read-evidence.ts';
import { figuresOutsidePools, knownFigures } from '../sealed-figures.ts';

/**
 * Whether figures of the sealed root are shown. `asked`: all of them, because somebody asks; problems of finite pools
 * retire thereby. `where-readable`: those that cost nothing, to who can read them.
 */
export type ShowSealed = 'never' | 'asked' | 'where-readable';

type Sealed = Pick<ReportObjects, 'figures' | 'evidence' | 'whyNoEvidence'>;

const nothing = (whyNoEvidence: string | null): Sealed => ({
  figures: null,
  evidence: new Map(),
  whyNoEvidence,
});

/** Throws StoreError if the figures are asked for and cannot be read. */
export async function readSealed(
  archive: CampaignArchive,
  records: readonly LedgerRecord[],
  show: ShowSealed,
  shown: readonly number[],
): Promise<Sealed> {
  switch (show) {
    case 'never':
      return nothing(null);
    case 'asked': {
      const figures = await knownFigures(archive, records);
      return { figures, ...(await evidenceOf(archive, records, { shown, pools: true })) };
    }
    case 'where-readable':
      try {
        const figures = await figuresOutsidePools(archive, records);
        return { figures, ...(await evidenceOf(archive, records, { shown, pools: false })) };
      } catch (error) {
        return nothing(messageOf(error));
      }
  }
}

/** Traces of verdicts never change, so each is computed once by a process. */
const traced = new Map<string, FoundEvidence>();
/** Of more campaigns than somebody looks at. */
const TRACED_MAX = 50;

async function evidenceOf(
  archive: CampaignArchive,
  records: readonly LedgerRecord[],
  { shown, pools }: { readonly shown: readonly number[]; readonly pools: boolean },
): Promise<Pick<Sealed, 'evidence' | 'whyNoEvidence'>> {
  const tested = foldLedger(records).generations.filter(
    ({ generation, newest }) => newest['gate-verdict'] && shown.includes(generation),
  );
  const generations = tested.map(({ generation }) => generation);
  const newest = entriesOf(records, 'recipe-decided').at(-1)?.number ?? 0;
  const key = JSON.stringify([archive.openUrl, archive.campaign, generations, newest, pools]);
  const found = traced.get(key) ?? (await readEvidence(archive, { generations, pools }));
  if ('why' in found) return { evidence: new Map(), whyNoEvidence: found.why };
  if (traced.size >= TRACED_MAX) traced.clear();
  traced.set(key, found);
  return { evidence: found.tests, whyNoEvidence: null };
}
