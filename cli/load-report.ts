// Reads what a report needs: the ledger, and of the objects it refers to health reports and training curves.
import type { Store } from '../activities/ports/store.ts';
import { isStoreError } from '../activities/ports/store-error.ts';
import type { ArtifactRef } from '../core/schemas/artifact.ts';
import { type BacktestReport, backtestReportSchema } from '../core/schemas/backtest-report.ts';
import { healthReportSchema, type HealthReport } from '../core/schemas/harness.ts';
import { stepMetricsSchema } from '../core/schemas/trajectory.ts';
import { buildReport } from '../web/build-report.ts';
import type { CurvePoint, ReportModel } from '../web/report-model.ts';
import type { Places } from '../web/sources.ts';
import { storeKeys } from '../core/ids.ts';
import { type Archive, fileAddress, objectKey, readLedgerOf } from './archive.ts';

export async function loadReport(
  archive: Archive,
): Promise<{ model: ReportModel; places: Places }> {
  const records = await readLedgerOf(archive);
  const health = new Map<string, HealthReport>();
  const curves = new Map<string, readonly CurvePoint[]>();
  const backtests = new Map<string, BacktestReport>();
  for (const { entry } of records) {
    const { draft } = entry;
    if (draft.kind === 'diagnosed') {
      const text = await readText(archive.stores.open, draft.body.health);
      const parsed = healthReportSchema.safeParse(text === null ? null : JSON.parse(text));
      if (parsed.success) health.set(draft.body.health.sha256, parsed.data);
    }
    if (draft.kind === 'backtested') {
      const text = await readText(archive.stores.open, draft.body.report);
      const parsed = backtestReportSchema.safeParse(text === null ? null : JSON.parse(text));
      if (parsed.success) backtests.set(draft.body.report.sha256, parsed.data);
    }
    const metrics = draft.kind === 'branch-trained' ? draft.body.artifacts['metrics'] : undefined;
    if (!metrics) continue;
    const text = await readText(archive.stores.open, metrics);
    if (text !== null) curves.set(metrics.sha256, curveOf(text));
  }
  const model = buildReport(archive.campaign, records, { health, curves, backtests });
  return { model, places: placesOf(archive) };
}

const placesOf = ({ campaign, openUrl, sealedUrl }: Archive): Places => ({
  object: ({ root, sha256 }) =>
    fileAddress(root === 'open' ? openUrl : sealedUrl, objectKey(sha256)),
  entry: (number) => fileAddress(openUrl, storeKeys.ledger(campaign, number)),
});

/** Null where it is missing: the report says what it can, verify says what is wrong. */
async function readText(store: Store, ref: ArtifactRef): Promise<string | null> {
  try {
    return new TextDecoder().decode(await store.readBytes(ref));
  } catch (error) {
    if (isStoreError(error, 'missing', 'damaged')) return null;
    throw error;
  }
}

function curveOf(text: string): CurvePoint[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.flatMap((line) => {
    const parsed = stepMetricsSchema.safeParse(JSON.parse(line));
    if (!parsed.success) return [];
    const { step, reward_mean: reward, hidden_mean: hidden } = parsed.data;
    return [{ step, reward, hidden }];
  });
}
