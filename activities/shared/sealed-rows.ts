// Per-problem results of the sealed root. Only calibrate, screen, promote and verify read them.
import { sealedResultSchema, type SealedResult } from '../../core/schemas/trajectory.ts';
import type { ArtifactRef } from '../../core/schemas/artifact.ts';
import type { Analytics } from '../ports/analytics.ts';

/** Every row of the results, in the order policy, stream, item, sample. */
export async function readSealedRows(
  analytics: Analytics,
  refs: readonly ArtifactRef[],
): Promise<SealedResult[]> {
  const rows = await analytics.query({
    sql: 'SELECT * FROM results ORDER BY policy, stream, item, sample',
    tables: { results: { refs: refs.map((ref) => ({ ref, tree: false })), format: 'parquet' } },
    limits: { rowsMax: 1_000_000 },
  });
  return rows.map((row) => sealedResultSchema.parse(row));
}
