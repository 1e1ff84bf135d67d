// How `evo detect` reads files of others: imported into a folder of its own, queried there, and removed.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  detectHacks,
  detectPopulationHacks,
  type HackReading,
  type PopulationPair,
} from '../activities/detect-hacks.ts';
import type { Analytics } from '../activities/ports/analytics.ts';
import type { Store } from '../activities/ports/store.ts';
import { DuckDbAnalytics } from '../infra/analytics/duckdb/duckdb-analytics.ts';
import { importFiles, importGroupsFile } from '../infra/imports/import-file.ts';
import { describeProblem } from '../infra/imports/problem.ts';
import { openStore } from '../infra/store/open-store.ts';
import { composeCatalog } from './compose-catalog.ts';

export interface Detected {
  readonly readings: readonly HackReading[];
  /** Lines that were left out, as sentences; more than are listed may have been. */
  readonly problems: readonly string[];
  readonly refused: number;
}

/** Trajectories of all files, in their order. */
export const detectInFiles = (files: readonly string[]): Promise<Detected> =>
  withTables(async ({ folder, store, analytics }) => {
    const imported = await importFiles(
      files,
      join(folder, 'trajectories.parquet'),
      join(folder, 'labels.parquet'),
    );
    const { problems, refused, count, tablePath } = imported;
    const listed = { problems: problems.map(describeProblem), refused };
    if (count === 0) return { ...listed, readings: [] };
    const table = await store.putFile(tablePath);
    return { ...listed, readings: await detectHacks(analytics, await composeCatalog(), table) };
  });

/** Populations of all files, in their order. */
export const detectInGroups = (files: readonly string[]): Promise<Detected> =>
  withTables(async ({ folder, store, analytics }) => {
    const pairs: PopulationPair[] = [];
    const problems: string[] = [];
    for (const [index, file] of files.entries()) {
      const imported = await importGroupsFile(file, await mkdtemp(join(folder, `${index}-`)));
      problems.push(...imported.problems.map(describeProblem));
      for (const { id, before, after } of imported.groups) {
        const [from, to] = [before.tablePath, after.tablePath];
        pairs.push({ id, before: await store.putFile(from), after: await store.putFile(to) });
      }
    }
    // All at once: what the rules read of the catalogue is parsed once.
    const readings = await detectPopulationHacks(analytics, await composeCatalog(), pairs);
    return { readings, problems, refused: problems.length };
  });

interface Tables {
  readonly folder: string;
  readonly store: Store;
  readonly analytics: Analytics;
}

async function withTables<Result>(work: (tables: Tables) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'evo-detect-'));
  const store = openStore(pathToFileURL(join(folder, 'store')).href, 'open', {
    s3: { region: '' },
  });
  const analytics = new DuckDbAnalytics({ open: store, sealed: null }, join(folder, 'cache'));
  try {
    return await work({ folder, store, analytics });
  } finally {
    await analytics.close();
    await rm(folder, { recursive: true, force: true });
  }
}
