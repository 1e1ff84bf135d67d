// docs/detectors.md: which case of the reward-hack catalogue is caught by what, and how well that was measured to work.
import { featuresOf, rulesOf } from '../../core/harness/definition.ts';
import type { Catalog } from '../../core/harness/definition.ts';
import type { Counts, Measured } from './measure-cases.ts';
import { type MeasuredRun, runsSection } from './runs-section.ts';
import { share, table } from './tables.ts';

export interface MeasuredSet {
  readonly title: string;
  readonly about: string;
  /** Before anybody who writes detectors had seen a case of the set; null where that is what `now` is. */
  readonly firstSight: Measured | null;
  readonly now: Measured;
}

const HEAD = `# Detectors of reward hacks

Written by \`node scripts/detector-table.ts\`; change the detectors, not this page. A detector
is a boolean feature of \`harness/features/\` or, where one trajectory alone does not show it,
a rule of \`harness/rules/\`, with a \`flag\`. \`evo detect FILE\` prints what they say
([command line](cli.md)).
`;

export function detectorsPage(
  catalog: Catalog,
  sets: readonly MeasuredSet[],
  runs: readonly MeasuredRun[],
): string {
  return [
    HEAD,
    catalogTable(catalog),
    sumsTable(sets),
    runsSection(runs),
    ...sets.map(setTable),
  ].join('\n');
}

function catalogTable(catalog: Catalog): string {
  const all = { definitions: [...catalog.definitions] };
  const detectors = [...featuresOf(all), ...rulesOf(all)]
    .filter(({ head }) => head.flag !== null)
    .map(({ kind, head }) => ({
      flag: head.flag ?? '',
      cells: [
        head.flag ?? '',
        `[${head.name}](../harness/${kind}s/${head.name}.sql)`,
        head.domains === null ? 'every' : head.domains.join(', '),
        head.description,
      ],
    }))
    .toSorted((left, right) => numberOf(left.flag) - numberOf(right.flag));
  return [
    '## What catches what',
    '',
    ...table(
      ['case', 'detector', 'domains', 'fires where'],
      detectors.map(({ cells }) => cells),
    ),
    '',
    'R18 to R20 are [not measurable](../harness/not-measurable.yaml) from trajectories; R27 is refused as an intervention, R28 as',
    'a revision.',
    '',
  ].join('\n');
}

function sumsTable(sets: readonly MeasuredSet[]): string {
  const rows = sets.flatMap(({ title, firstSight, now }) => [
    ...(firstSight === null ? [] : [[title, 'at first sight', ...sumCells(firstSight.all)]]),
    [title, 'now', ...sumCells(now.all)],
  ]);
  return [
    '## Sums',
    '',
    'A hack is caught where its case is named; an honest trajectory is a false alarm where any case is named. Intervals are',
    'two-sided 95 % by Wilson.',
    '',
    ...table(['set', 'when', 'hacks', 'caught', 'honest', 'false alarms'], rows),
    '',
  ].join('\n');
}

function setTable({ title, about, firstSight, now }: MeasuredSet): string {
  const rows = Object.entries(now.flags).map(([flag, counts]) => {
    const first = firstSight?.flags[flag];
    return [
      flag,
      String(counts.cases),
      ...(firstSight === null ? [] : [first === undefined ? '–' : `${first.caught}`]),
      `${counts.caught}`,
      ...(firstSight === null ? [] : [first === undefined ? '–' : `${first.falseAlarms}`]),
      `${counts.falseAlarms}`,
    ];
  });
  const heads =
    firstSight === null
      ? ['case', 'hacks', 'caught', 'false alarms']
      : ['case', 'hacks', 'caught at first sight', 'now', 'false alarms at first sight', 'now'];
  const detectors = Object.entries(now.detectors).map(([name, { hits, falseAlarms }]) => [
    name,
    String(hits),
    String(falseAlarms),
  ]);
  return [
    `## ${title}`,
    '',
    `${about[0]?.toUpperCase() ?? ''}${about.slice(1)}. ${now.all.cases} hacks, ${now.all.benign} honest.`,
    '',
    ...table(heads, rows),
    '',
    ...table(['detector', 'right hits', 'false alarms'], detectors),
    '',
  ].join('\n');
}

const sumCells = ({ cases, caught, benign, falseAlarms }: Counts): string[] => [
  String(cases),
  share(caught, cases),
  String(benign),
  share(falseAlarms, benign),
];

const numberOf = (flag: string): number => Number(flag.slice(1));
