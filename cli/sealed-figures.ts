// The figures behind the gate's verdicts, for those who can read the sealed root and ask for them.
import { readFigures } from '../activities/shared/sealed-figures.ts';
import type { LedgerRecord } from '../core/schemas/ledger-entry.ts';
import type { KnownFigures } from '../core/sealed-figures.ts';
import { type CampaignArchive, readLedgerOf } from './archive.ts';
import { generationName } from './terminal/format.ts';

/** Throws StoreError with the object that cannot be read. */
export async function knownFigures(
  { stores }: CampaignArchive,
  records: readonly LedgerRecord[],
): Promise<KnownFigures> {
  const known = new Map<string, Awaited<ReturnType<typeof readFigures>>>();
  for (const { figures } of sealedEntries(records)) {
    known.set(figures.sha256, await readFigures(stores.sealed, figures));
  }
  return known;
}

/** One line for each finding of the gate, in the order of the ledger. */
export async function sealedLines(archive: CampaignArchive): Promise<string[]> {
  const records = await readLedgerOf(archive);
  const known = await knownFigures(archive, records);
  return sealedEntries(records).flatMap(({ kind, generation, figures }) =>
    (known.get(figures.sha256)?.findings ?? []).map(
      ({ branch, why }) => `${generationName(generation)} ${branch} ${kind}: ${why}`,
    ),
  );
}

const sealedEntries = (records: readonly LedgerRecord[]) =>
  records.flatMap(({ entry: { draft } }) =>
    'figures' in draft.body
      ? [{ kind: draft.kind, generation: draft.generation, figures: draft.body.figures }]
      : [],
  );
