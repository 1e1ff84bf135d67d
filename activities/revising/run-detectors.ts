// Measures the blocking detectors on the DIAG sets of branches and incumbent, for guard 3.
import type { BlockingDetectors, DetectorReading } from '../../core/gate/blocking-detectors.ts';
import { blockingDetectorsOf } from '../../core/harness/definition.ts';
import type { ArtifactRef } from '../../core/schemas/artifact.ts';
import { type FeatureDefinition, harnessSchema } from '../../core/schemas/harness.ts';
import { numberAt, textAt } from '../reading/query-cells.ts';
import type { CampaignPorts } from '../ports/campaign-ports.ts';
import type { Row } from '../ports/analytics.ts';
import { parquetOf, withFeatures } from '../reading/trajectory-tables.ts';
import { readJson } from '../shared/store-json.ts';

export interface DetectorSets {
  readonly harness: ArtifactRef;
  /** DIAG trajectories by policy: 'incumbent' or the name of a branch. */
  readonly sets: Readonly<Record<string, ArtifactRef>>;
}

/** The rate of each blocking detector on each set: mean and sd of the task means. Stores nothing. */
export async function runDetectors(
  { stores, analytics }: Pick<CampaignPorts, 'stores' | 'analytics'>,
  { harness: harnessRef, sets }: DetectorSets,
): Promise<BlockingDetectors> {
  const harness = await readJson(stores.open, harnessRef, harnessSchema);
  const detectors = blockingDetectorsOf(harness);
  const names = detectors.map(({ head }) => head.name);
  if (detectors.length === 0) return { names, readings: [] };
  const readings: DetectorReading[] = [];
  for (const [policy, ref] of Object.entries(sets)) {
    const rows = await analytics.query({
      sql: ratesQuery(detectors),
      tables: { t_rows: withFeatures(parquetOf(ref), detectors) },
    });
    readings.push(...rows.map((row) => toReading(policy, row)));
  }
  return { names, readings };
}

function ratesQuery(detectors: readonly FeatureDefinition[]): string {
  const branches = detectors.map(
    ({ head }) =>
      `SELECT '${head.name}' AS detector, avg(m) AS mean, coalesce(stddev_samp(m), 0) AS sd, ` +
      'count(*) AS n, avg(k) AS samples FROM ' +
      `(SELECT avg(coalesce("${head.name}", FALSE)::INTEGER) AS m, count(*) AS k FROM t_rows GROUP BY task_id)`,
  );
  return branches.join('\nUNION ALL\n');
}

function toReading(policy: string, row: Row): DetectorReading {
  const number = (name: string): number => numberAt(row, name) ?? 0;
  return {
    detector: textAt(row, 'detector'),
    policy,
    rate: {
      mean: number('mean'),
      sd: number('sd'),
      n: number('n'),
      samples: number('samples'),
    },
  };
}
