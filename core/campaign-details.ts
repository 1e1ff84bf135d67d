// The current details of a campaign in the Temporal UI: Markdown, rewritten at each change.
import type { CampaignView } from './campaign-view.ts';

const score = (value: number | null): string => (value === null ? '–' : value.toFixed(3));

/** At most 20,000 bytes: the server's limit. */
export function campaignDetails(view: CampaignView): string {
  const lines = [
    `| | |`,
    `|---|---|`,
    `| phase | **${view.phase}** |`,
    `| generation | ${view.generation} of ${view.generationsPlanned}${view.step === null ? '' : `, step ${view.step}`} |`,
    `| incumbent on SELECT | ${score(view.incumbent?.selectMean ?? null)} (warm start ${score(view.warmStartSelectMean)}) |`,
    `| gate tests spent | ${view.testsSpent} |`,
    `| skills | ${view.skills} |`,
    ...waitingFor(view),
  ];
  const generations = view.generations.slice(-10).flatMap((generation) => {
    const { verdict } = generation;
    const outcome =
      verdict === null ? '' : `: ${verdict.branch} ${verdict.verdict}, ${cell(verdict.why)}`;
    return [
      '',
      `**Generation ${generation.generation}** bottleneck ${generation.bottleneck ?? '–'}${outcome}`,
      '',
      '| branch | operator | reward | SELECT | decision |',
      '|---|---|---|---|---|',
      ...generation.branches.map(
        ({ branch, operator, rewardMean, selectMean, state, decision, why }) =>
          `| ${branch} | ${operator ?? 'control'} | ${score(rewardMean)} | ${score(selectMean)} | ${decision ?? state}${why === null ? '' : `: ${cell(why)}`} |`,
      ),
    ];
  });
  return [...lines, ...generations].join('\n').slice(0, 18_000);
}

function waitingFor({ pause, parked, pendingInterventions }: CampaignView): string[] {
  return [
    ...(pause === null
      ? []
      : [
          `| paused | ${pause.mode} by ${cell(pause.by ?? 'somebody')}: ${cell(pause.reason ?? 'no reason given')}. Send \`resume\` |`,
        ]),
    ...(parked === null
      ? []
      : [
          `| parked | ${parked.step}: ${cell(parked.reason)}. Send \`retry\`, \`skip\` or \`abort\` |`,
        ]),
    ...(pendingInterventions.length === 0
      ? []
      : [
          `| injected | ${cell(pendingInterventions.map(({ operator }) => operator).join(', '))} |`,
        ]),
  ];
}

const cell = (text: string): string =>
  text.replaceAll('|', '\\|').replaceAll('\n', ' ').slice(0, 400);
