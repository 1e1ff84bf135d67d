// Traces decided tests of a campaign from the sealed root.
import { readSealedRows } from '../../activities/shared/sealed-rows.ts';
import { traceTest } from '../../core/gate/trace-test.ts';
import { entriesOf, type EntryOf } from '../../core/ledger.ts';
import { type CampaignFold, withFolds } from '../../core/ledger-fold.ts';
import type { LedgerRecord } from '../../core/schemas/ledger-entry.ts';
import type { TestEvidence } from '../../core/schemas/test-evidence.ts';
import { type CampaignArchive, readLedgerOf } from '../archive.ts';
import { readPromotionInput, reservationOf } from '../verify/promotion-input.ts';
import { readConfigs } from '../verify/read-configs.ts';

export interface AskedTests {
  readonly generations: readonly number[];
  /** Whether the figures of finite pools may be shown, whose problems retire thereby. */
  readonly pools: boolean;
}

/**
 * A test without a verdict, or whose verdict is no decision, is left out: a retry meets its problems again. Throws
 * StoreError where the sealed root cannot be read.
 */
export async function traceTests(
  archive: CampaignArchive,
  { generations, pools }: AskedTests,
): Promise<TestEvidence[]> {
  const records = await readLedgerOf(archive);
  const configs = await readConfigs(archive, records);
  if (configs === null) throw new Error('the archive does not contain the config');
  const traced: TestEvidence[] = [];
  for (const { entry, before } of newestVerdicts(records)) {
    const { generation, body } = entry;
    const mayShow = pools || !reservationOf(entry, before)?.pool;
    if (!generations.includes(generation) || !isDecided(entry) || !mayShow) continue;
    const input = await readPromotionInput(entry, { before, configs, ports: archive });
    const recipe = entriesOf(records, 'recipe-decided').findLast(
      (one) => one.generation === generation && one.body.test === body.test,
    );
    const armRows = await readSealedRows(archive.sealedAnalytics, recipe?.body.results ?? []);
    const found = traceTest(input, armRows);
    if (found !== null) traced.push({ generation, ...found });
  }
  return traced;
}

const isDecided = ({ body }: EntryOf<'gate-verdict'>): boolean =>
  body.verdict !== 'no-decision' && body.results.length > 0;

/** The newest of each generation, with the fold before it. */
function newestVerdicts(
  records: readonly LedgerRecord[],
): { readonly entry: EntryOf<'gate-verdict'>; readonly before: CampaignFold }[] {
  const all = withFolds(records).flatMap(({ record, before }) =>
    entriesOf([record], 'gate-verdict').map((entry) => ({ entry, before })),
  );
  return [...new Map(all.map((one) => [one.entry.generation, one])).values()];
}
