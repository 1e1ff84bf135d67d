// Recomputes the decision on a generation's branches, and the scores of a calibration, from their archived sources.
import { readJson } from '../../activities/shared/store-json.ts';
import { readSealedRows } from '../../activities/shared/sealed-rows.ts';
import { nameInLineage } from '../../core/clean-ancestors.ts';
import { meanTrueScore } from '../../core/gate/rows.ts';
import type { EntryOf } from '../../core/ledger.ts';
import type { CampaignFold } from '../../core/ledger-fold.ts';
import { findMismatch, type Mismatch } from '../../core/mismatch.ts';
import { type HealthReport, healthReportSchema } from '../../core/schemas/harness.ts';
import { type DecisionSources, verifyDecision } from '../../core/verify-decision.ts';
import type { ReadingPorts } from '../../workers/compose.ts';

/** The screen and the recipe are those of the generation's newest entries. */
export async function recomputeDecision(
  entry: EntryOf<'branches-decided'>,
  before: CampaignFold,
  { screen, recipe }: Omit<DecisionSources, 'reports'>,
  { stores }: ReadingPorts,
): Promise<Mismatch[]> {
  const reports: Record<string, HealthReport> = {};
  for (const { branch, health } of entry.body.past.branches) {
    reports[branch] = await readJson(stores.open, health, healthReportSchema);
  }
  return verifyDecision(entry, before, { screen, recipe, reports });
}

/** The mean true score of each policy of the lineage on the tasks of the calibration. */
export async function recomputeScores(
  { number, body }: EntryOf<'calibrated'>,
  { sealedAnalytics }: ReadingPorts,
): Promise<Mismatch[]> {
  const measured = [body.warmStart, ...body.descendants];
  const rows = await readSealedRows(sealedAnalytics, [body.warmStartResults.select]);
  const computed = measured.map((_, index) =>
    meanTrueScore(rows, nameInLineage(index, measured.length)),
  );
  const stored = measured.map(({ selectMean }) => selectMean);
  return findMismatch(number, 'selectMean', stored, computed);
}
