// The health of a training log: its windows are read one after the other, each looking back on those before.
import type { Harness, HealthReport } from '../../core/schemas/harness.ts';
import type { ArtifactRef } from '../../core/schemas/artifact.ts';
import type { Analytics } from '../ports/analytics.ts';
import { readHealth } from './read-health.ts';

export interface LogEvidence {
  /** Oldest first. */
  readonly windows: readonly { readonly rows: ArtifactRef }[];
  readonly labels: ArtifactRef | null;
  readonly optimizerMetrics: ArtifactRef | null;
}

/** A report a window. The optimizer metrics cover the whole run and are read with the last window. */
export async function readLogHealth(
  analytics: Analytics,
  harness: Harness,
  { windows, labels, optimizerMetrics }: LogEvidence,
): Promise<HealthReport[]> {
  const reports: HealthReport[] = [];
  for (const [place, { rows }] of windows.entries()) {
    const before = windows[place - 1];
    const report = await readHealth(analytics, {
      harness,
      generation: place + 1,
      sets: {
        trajectories: [rows],
        previous: before === undefined ? null : [before.rows],
        labels,
        optimizerMetrics: place === windows.length - 1 ? optimizerMetrics : null,
      },
      previous: reports,
      lostCategories: [],
    });
    reports.push(report);
  }
  return reports;
}
