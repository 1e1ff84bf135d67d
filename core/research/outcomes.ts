// What became of every change that was tried, in the words that specialists read: effects on SELECT, and for every end
// a label of a closed set. Figures and sentences of the gate are not in it.
import type { ResearcherEntry } from '../researcher-view.ts';
import type { Effect } from '../stats/seed-spread.ts';
import type { JsonPatch } from '../schemas/intervention.ts';

/** The end of one change; a guard or a failure is named after the colon. */
export type OutcomeLabel =
  | 'promoted'
  | 'kept'
  | 'reverted'
  | 'pruned'
  | `pruned:${string}`
  | `failed:${string}`;

export interface TriedChange {
  readonly id: string;
  readonly generation: number;
  readonly proposer: string;
  readonly operator: string;
  readonly factor: string;
  readonly patch: JsonPatch;
  readonly effect: Pick<Effect, 'mean' | 'low' | 'high' | 'seeds'> | null;
  readonly adopted: boolean | null;
  readonly label: OutcomeLabel;
}

type Of<Kind extends ResearcherEntry['kind']> = Extract<ResearcherEntry, { kind: Kind }>;

/** Oldest first. Changes that a human asked for are among them, without the words of the human. */
export function triedChanges(entries: readonly ResearcherEntry[]): TriedChange[] {
  const generations = [...new Set(entries.map(({ generation }) => generation))];
  return generations.flatMap((generation) => {
    let own = entries.filter((entry) => entry.generation === generation);
    const last = <Kind extends ResearcherEntry['kind']>(kind: Kind): Of<Kind> | undefined =>
      own.findLast((entry): entry is Of<Kind> => entry.kind === kind);
    const proposed = last('proposed');
    if (proposed === undefined) return [];
    // What an earlier attempt trained under the same names does not count.
    own = own.slice(own.indexOf(proposed));
    const trained = own.filter(
      (entry): entry is Of<'branch-trained'> => entry.kind === 'branch-trained',
    );
    const adoption = last('recipe-decided')?.body;
    return proposed.body.interventions.flatMap((intervention) => {
      const { id, operator, factor, patch, proposer } = intervention;
      const branch = trained.findLast(({ body }) => body.intervention?.id === id)?.body;
      const decided = last('branches-decided')?.body.branches.find(
        (one) => one.branch === branch?.branch,
      );
      const label = labelOf(branch?.outcome ?? null, decided);
      if (label === null) return [];
      const effect = decided?.effect ?? null;
      return [
        {
          id,
          generation,
          proposer,
          operator,
          factor,
          patch,
          effect: effect && {
            mean: effect.mean,
            low: effect.low,
            high: effect.high,
            seeds: effect.seeds,
          },
          adopted: adoption?.branch === branch?.branch ? (adoption?.adopted ?? null) : null,
          label,
        },
      ];
    });
  });
}

/** Null where nothing was learned: it was not trained, or the infrastructure failed. */
function labelOf(
  outcome: string | null,
  decided: Of<'branches-decided'>['body']['branches'][number] | undefined,
): OutcomeLabel | null {
  if (outcome === null) return null;
  if (outcome !== 'ok') return `failed:${outcome}`;
  switch (decided?.decision) {
    case undefined:
      return null;
    case 'promote':
      return 'promoted';
    case 'keep':
      return 'kept';
    case 'revert':
      return 'reverted';
    case 'prune':
      return decided.guard === null ? 'pruned' : `pruned:${decided.guard}`;
  }
}
