// What it may cost to let a researcher play: said before anybody is asked.
import { specialistsOf } from '../../activities/inquiring/specialist-of.ts';
import type { CampaignConfig } from '../../core/schemas/campaign-config.ts';
import type { BenchPlan } from '../../core/schemas/researcher-table.ts';
import { describeHosts } from '../describe-inquiries.ts';
import { usageError } from '../exit.ts';
import { withFiles } from '../own-definitions.ts';
import { configOf, type PlannedPoint } from './make-table.ts';

export interface PlannedPlay {
  readonly planned: PlannedPoint;
  readonly config: CampaignConfig;
}

/** The campaign of each point with the file's providers and researcher, and nothing else of the file. */
export async function researcherConfigs(
  points: readonly PlannedPoint[],
  file: string,
  named: string,
): Promise<PlannedPlay[]> {
  return Promise.all(
    points.map(async (planned) => {
      const asked = configOf(planned, [file]);
      const { providers, researcher } = asked;
      if (researcher === undefined) {
        throw usageError(`${file} has no key researcher: docs/researchers.md shows one`);
      }
      const own = configOf({ ...planned, name: `${planned.name}-${named}` });
      return { planned, config: await withFiles({ ...own, providers, researcher }) };
    }),
  );
}

export function estimateLines(
  left: readonly PlannedPlay[],
  all: number,
  { training_seeds: seeds }: Pick<BenchPlan, 'training_seeds'>,
): string[] {
  const [first] = left;
  const researcher = first?.config.researcher;
  if (first === undefined || researcher === undefined) {
    return [`all ${all} points were played before: nobody is asked`];
  }
  const { budget } = researcher;
  const count = specialistsOf(researcher).length;
  const most = (limit: number | null, generation: number | null): number | null =>
    limit === null ? generation : Math.min(limit, generation ?? limit);
  const usd = most(budget.usd, budget.generation_usd);
  const tokens = most(budget.tokens, budget.generation_tokens) ?? budget.tokens;
  const changes = left.length * first.config.interventions;
  return [
    `${left.length} of ${all} points are to be played: ${count} specialists at each, at most ${budget.turns} turns each`,
    `that costs at most ${left.length * tokens} tokens and ${usd === null ? 'has no limit in dollars' : `$${(left.length * usd).toFixed(2)}`}`,
    `at most ${changes} changes that the table lacks are then trained, with ${seeds} seeds each`,
    ...describeHosts(first.config),
  ];
}
