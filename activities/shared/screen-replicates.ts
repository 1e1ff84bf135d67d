// The guards on the replicates of a branch and of b0. Adopt and verify judge them alike.
import type { AncestorRecords } from '../../core/clean-ancestors.ts';
import { decideScreen } from '../../core/gate/verdict.ts';
import { renamedRows } from '../../core/replicates.ts';
import type { ArtifactRef } from '../../core/schemas/artifact.ts';
import type { CampaignConfig } from '../../core/schemas/campaign-config.ts';
import type { Candidate, Replicate } from '../../core/schemas/ledger-entry.ts';
import type { SealedResult } from '../../core/schemas/trajectory.ts';
import type { CampaignPorts } from '../ports/campaign-ports.ts';
import { readScreenInput } from './screen-input.ts';

export type TrainedReplicate = Omit<Replicate, 'verdict' | 'guard'>;

export async function screenReplicates(
  ports: Pick<CampaignPorts, 'sealedAnalytics' | 'analytics' | 'stores'>,
  given: {
    readonly config: CampaignConfig;
    readonly epoch: string;
    readonly incumbent: Candidate | null;
    readonly ancestors: readonly AncestorRecords[];
    readonly replicates: readonly TrainedReplicate[];
    /** SELECT and CANARY of the incumbent and of all replicates, on the same tasks. */
    readonly rows: readonly SealedResult[];
    readonly harness: ArtifactRef;
    readonly incumbentDiag: ArtifactRef;
  },
): Promise<Replicate[]> {
  const { replicates, rows, ...shared } = given;
  const screened: Replicate[] = [];
  for (const [replicate, arms] of Map.groupBy(replicates, (one) => one.replicate)) {
    const input = await readScreenInput(ports, {
      ...shared,
      branches: arms.map(({ branch, outcome, candidate, diag }) => ({
        branch,
        failure: outcome === 'ok' ? null : outcome,
        candidate,
        diag,
      })),
      rows: renamedRows(rows, replicate),
    });
    const { branches } = decideScreen(input);
    for (const arm of arms) {
      const found =
        arm.outcome === 'ok' ? branches.find(({ branch }) => branch === arm.branch) : null;
      screened.push({ ...arm, verdict: found?.verdict ?? null, guard: found?.guard ?? null });
    }
  }
  return screened;
}
