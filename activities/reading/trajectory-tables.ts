// The tables that queries over the archive stand on.
import type { ArtifactRef } from '../../core/schemas/artifact.ts';
import type { FeatureDefinition } from '../../core/schemas/harness.ts';
import { factColumns } from '../../core/schemas/trajectory.ts';
import type { TableSource } from '../ports/analytics.ts';

export const FACT_COLUMNS: readonly string[] = Object.keys(factColumns);

export const parquetOf = (...refs: readonly ArtifactRef[]): TableSource => ({
  refs: refs.map((ref) => ({ ref, tree: false })),
  format: 'parquet',
});

/** A table with a column a feature, computed from facts alone and kept. */
export const withFeatures = (
  source: TableSource,
  features: readonly FeatureDefinition[],
): TableSource => ({
  ...source,
  derived: {
    from: FACT_COLUMNS,
    columns: features.map(({ head, sql }) => ({ name: head.name, sql })),
  },
});

export const linesOf = (ref: ArtifactRef): TableSource => ({
  refs: [{ ref, tree: false }],
  format: 'jsonl',
});

/** What one reading of the harness is taken over; null = that evidence does not exist. */
export interface EvidenceSets {
  readonly trajectories: readonly ArtifactRef[];
  /** The incumbent's set of the generation before. */
  readonly previous: readonly ArtifactRef[] | null;
  readonly labels: ArtifactRef | null;
  /** Of the training that made the policy. */
  readonly optimizerMetrics: ArtifactRef | null;
}

/** Tables by the names that metrics know: those that exist, trajectories with their features. */
export const tablesOf = (
  sets: EvidenceSets,
  features: readonly FeatureDefinition[] = [],
): Readonly<Record<string, TableSource>> => ({
  t_rows: withFeatures(parquetOf(...sets.trajectories), features),
  ...(sets.previous === null
    ? {}
    : { t_prev_rows: withFeatures(parquetOf(...sets.previous), features) }),
  ...(sets.labels === null ? {} : { labels: parquetOf(sets.labels) }),
  ...(sets.optimizerMetrics === null ? {} : { optimizer_metrics: linesOf(sets.optimizerMetrics) }),
});
