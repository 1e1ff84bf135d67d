// The trajectory sets of a campaign by name, as its ledger refers to them: g1_train, g1_diag, g1_b2_diag, …
import type { ArtifactRef } from '../core/schemas/artifact.ts';
import type { LedgerRecord } from '../core/schemas/ledger-entry.ts';

export interface TrajectorySet {
  readonly name: string;
  readonly generation: number;
  /** Null for the incumbent's evidence. */
  readonly branch: string | null;
  readonly kind: 'train' | 'diag' | 'labels';
  readonly ref: ArtifactRef;
  /** A branch closes a shard at each checkpoint, so its training set is a directory. */
  readonly tree: boolean;
}

/** In the order of the ledger; a later attempt of a generation replaces an earlier one. */
export function trajectorySets(records: readonly LedgerRecord[]): TrajectorySet[] {
  const sets = new Map<string, TrajectorySet>();
  const add = (
    generation: number,
    branch: string | null,
    kind: TrajectorySet['kind'],
    ref: ArtifactRef | undefined,
  ): void => {
    const name = [`g${generation}`, branch, kind].filter((part) => part !== null).join('_');
    const tree = branch !== null && kind === 'train';
    if (ref) sets.set(name, { name, generation, branch, kind, ref, tree });
  };
  for (const { entry } of records) {
    const { draft } = entry;
    const { generation } = draft;
    if (draft.kind === 'diagnosed') {
      const [train, diag, labels] = draft.body.evidence;
      add(generation, null, 'train', train);
      add(generation, null, 'diag', diag);
      add(generation, null, 'labels', labels);
    }
    if (draft.kind === 'branch-trained') {
      const { branch, artifacts } = draft.body;
      add(generation, branch, 'train', artifacts['train']);
      add(generation, branch, 'diag', artifacts['diag']);
    }
    if (draft.kind === 'branches-decided') {
      for (const { branch, labels } of draft.body.past.branches) {
        add(generation, branch, 'labels', labels);
      }
    }
  }
  return [...sets.values()];
}
