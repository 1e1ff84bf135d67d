// The health of a campaign's generation, as its ledger refers to it, with the generations before.
import { type HealthReport, healthReportSchema } from '../core/schemas/harness.ts';
import type { ArtifactRef } from '../core/schemas/artifact.ts';
import { foldLedger } from '../core/ledger-fold.ts';
import type { LedgerRecord } from '../core/schemas/ledger-entry.ts';
import { composeCatalog } from '../workers/compose-catalog.ts';
import type { HealthPage } from '../web/health-model.ts';
import { type Archive, openArchive, readLedgerOf } from './archive.ts';
import { CommandError, EXIT, usageError } from './exit.ts';
import { metricDescriptions } from './metric-descriptions.ts';

/** `generation` null = the newest that is diagnosed. */
export async function campaignHealth(
  asked: Parameters<typeof openArchive>[0],
  generation: number | null,
): Promise<HealthPage> {
  const archive = await openArchive(asked);
  try {
    const found = healthOf(await readLedgerOf(archive));
    const numbers = [...found.keys()];
    const last = generation ?? Math.max(...numbers);
    if (numbers.length === 0) {
      throw new CommandError(EXIT.failed, `campaign ${asked.campaign} has diagnosed nothing yet`);
    }
    if (!found.has(last)) {
      throw usageError(`generation ${last} is not diagnosed; there are ${numbers.join(', ')}`);
    }
    const reports = [];
    for (const [number, ref] of found) {
      if (number > last) continue;
      reports.push({ label: `generation ${number}`, report: await readReport(archive, ref) });
    }
    const domain = reports.at(-1)?.report.domain ?? '';
    return {
      title: asked.campaign,
      source: `generation ${last}, ${domain}: TRAIN and DIAG trajectories of the incumbent`,
      notes: [],
      reports,
      descriptions: metricDescriptions((await composeCatalog()).definitions),
    };
  } finally {
    await archive.close();
  }
}

/** By generation, ascending; the report of the revised harness where there is one. */
const healthOf = (records: readonly LedgerRecord[]): ReadonlyMap<number, ArtifactRef> =>
  new Map(
    foldLedger(records).generations.flatMap(({ generation, newest }) => {
      const read = newest['harness-revised'] ?? newest.diagnosed;
      return read === undefined ? [] : [[generation, read.body.health] as const];
    }),
  );

async function readReport({ stores }: Archive, ref: ArtifactRef): Promise<HealthReport> {
  const text = new TextDecoder().decode(await stores.open.readBytes(ref));
  return healthReportSchema.parse(JSON.parse(text));
}
