// Whether a problem file has as many problems as a campaign plays of each split.
import type { CampaignConfig } from './schemas/campaign-config.ts';
import type { OwnSplit, Staged } from './schemas/staged.ts';

type Sizes = Pick<CampaignConfig, 'evaluation' | 'rollout'>;

/** One line per key that asks for too many. PROMOTION is played as far as it goes. */
export function ownSizeFaults({ evaluation, rollout }: Sizes, counts: Staged['counts']): string[] {
  const wanted: readonly (readonly [key: string, tasks: number, split: OwnSplit])[] = [
    ['rollout.train_tasks', rollout.train_tasks, 'train'],
    ['rollout.diag_tasks', rollout.diag_tasks, 'diag'],
    ['evaluation.select_tasks', evaluation.select_tasks, 'select'],
    // Canaries are SELECT's problems under other references.
    ['evaluation.canary_tasks', evaluation.canary_tasks, 'select'],
  ];
  const faults = wanted
    .filter(([, tasks, split]) => tasks > counts[split])
    .map(
      ([key, tasks, split]) =>
        `${key}: ${tasks} problems are asked for, and ${split.toUpperCase()} has ${counts[split]}: set at most ${counts[split]}, or add problems`,
    );
  const empty = (['train', 'diag', 'select', 'promotion'] as const).filter(
    (split) => counts[split] < 2,
  );
  return [
    ...faults,
    ...empty.map(
      (split) =>
        `environment.tasks: ${split.toUpperCase()} has ${counts[split]} problems: add some`,
    ),
  ];
}
