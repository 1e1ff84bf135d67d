// What became of every change that was tried, in the words that specialists read: effects on SELECT, and for every end
// a label of a closed set. Figures and sentences of the gate are not in it.
import type { ResearcherEntry } from '../researcher-view.ts';
import type { TriedChange } from '../schemas/desk.ts';
import type { ChangeEnd } from './labels.ts';
import type { Intervention } from '../schemas/intervention.ts';

/** Of the words of a model, in what others read. */
const HYPOTHESIS_MAX = 300;

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
    const parent = recipeBefore(entries.slice(0, entries.indexOf(proposed)));
    // What an earlier attempt trained under the same names does not count.
    own = own.slice(own.indexOf(proposed));
    const trained = own.filter(
      (entry): entry is Of<'branch-trained'> => entry.kind === 'branch-trained',
    );
    const adoption = last('recipe-decided')?.body;
    const forecasts = last('backtested')?.body.forecasts ?? [];
    const rejected = last('backtested')?.body.rejected ?? [];
    const offers = proposed.body.refused.flatMap(({ id, label, offer }) =>
      offer === undefined || label === undefined
        ? []
        : [{ ...UNTRAINED, ...offer, id, generation, parent, proposer: 'llm', label }],
    );
    const changes = proposed.body.interventions.flatMap((intervention) => {
      const { id, operator, factor, patch, proposer, features, expected } = intervention;
      const branch = trained.findLast(({ body }) => body.intervention?.id === id)?.body;
      const decided = last('branches-decided')?.body.branches.find(
        (one) => one.branch === branch?.branch,
      );
      const label =
        labelOf(branch?.outcome ?? null, decided) ?? rejected.find((one) => one.id === id)?.label;
      if (label === undefined) return [];
      const effect = decided?.effect ?? null;
      return [
        {
          id,
          generation,
          parent,
          proposer,
          operator,
          factor,
          patch,
          ...(features && { features }),
          ...(expected && { expected }),
          // What was not trained may still be the work of a hostile text.
          hypothesis: branch === undefined ? null : opinionOf(intervention),
          forecast: forecasts.find((one) => one.id === id)?.foreseen ?? null,
          effect: effect && {
            mean: effect.mean,
            low: effect.low,
            high: effect.high,
            seeds: effect.seeds,
            spread: effect.spread,
          },
          adopted: adoption?.branch === branch?.branch ? (adoption?.adopted ?? null) : null,
          label,
        },
      ];
    });
    return [...changes, ...offers];
  });
}

const UNTRAINED = { hypothesis: null, forecast: null, effect: null, adopted: null } as const;

/** Enough to tell recipes of one campaign apart. */
export const digestStart = ({ sha256 }: { readonly sha256: string }): string => sha256.slice(0, 12);

/** The recipe that was in force after these entries. */
function recipeBefore(entries: readonly ResearcherEntry[]): string | null {
  const last = entries.findLast(
    (entry) => entry.kind === 'branches-decided' || entry.kind === 'calibrated',
  );
  switch (last?.kind) {
    case 'branches-decided':
      return digestStart(last.body.incumbent.recipe);
    case 'calibrated':
      return digestStart(last.body.warmStart.recipe);
    default:
      return null;
  }
}

/** Only what a model wrote; nobody reads the words of a person. */
const opinionOf = ({ proposer, hypothesis }: Intervention): string | null =>
  proposer === 'llm' ? hypothesis.slice(0, HYPOTHESIS_MAX) : null;

/** Null where nothing was learned: it was not trained, or the infrastructure failed. */
function labelOf(
  outcome: string | null,
  decided: Of<'branches-decided'>['body']['branches'][number] | undefined,
): ChangeEnd | null {
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
