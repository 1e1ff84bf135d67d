// How often does a promoted branch carry a useless or harmful recipe change into the recipe, and how often a good one?
//
// node scripts/bench/adoption.ts [campaigns a row]
import { wilson } from '../../core/stats/intervals.ts';
import { type AdoptionWorld, playAdoptions } from './adoption-worlds.ts';

const campaigns = Number(process.argv[2] ?? '2000');
if (!Number.isInteger(campaigns) || campaigns < 1) {
  process.stderr.write('usage: node scripts/bench/adoption.ts [campaigns a row]\n');
  process.exit(2);
}
const GENERATIONS = 40;
const SPREADS: readonly {
  readonly name: string;
  readonly changed: readonly number[];
  readonly control: number;
}[] = [
  { name: '0', changed: [0], control: 0 },
  { name: '1', changed: [0.01], control: 0.01 },
  { name: '3', changed: [0.03], control: 0.03 },
  { name: '7', changed: [0.07], control: 0.07 },
  { name: '7, b0 1', changed: [0.07], control: 0.01 },
  { name: '1, b0 7', changed: [0.01], control: 0.07 },
  { name: '0, 1, 3 or 7 by change, b0 1', changed: [0, 0.01, 0.03, 0.07], control: 0.01 },
];
const GAINS: readonly { readonly gain: number; readonly only?: readonly string[] }[] = [
  { gain: 0 },
  { gain: -0.02 },
  { gain: 0.05, only: ['0', '1', '3'] },
  { gain: 0.12, only: ['3', '7'] },
];

const percent = (value: number): string => (Math.round(1000 * value) / 10).toFixed(1);
const share = (count: number, of: number): string => {
  if (of === 0) return '–';
  const { mean, low, high } = wilson(count, of);
  return `${percent(mean)} % [${percent(low)}, ${percent(high)}]`;
};

process.stdout.write(
  `${campaigns} campaigns a row, ${GENERATIONS} generations each, 2 interventions, at most 3 seeds; every challenger is promoted\n\n` +
    '| true effect | spread between seeds | proposed | adopted in the first generation | adopted in all generations | fresh seed pairs |\n' +
    '|---|---|---|---|---|---|\n',
);
for (const { gain, only } of GAINS) {
  for (const { name, changed, control } of SPREADS) {
    if (only && !only.includes(name)) continue;
    for (const isProposedAgain of [false, true]) {
      const world: AdoptionWorld = {
        gain,
        spreads: changed,
        controlSpread: control,
        isProposedAgain,
      };
      const plan = { campaigns, generations: GENERATIONS, interventions: 2, max: 3 };
      const rate = playAdoptions(world, plan, 23);
      const cells = [
        `${percent(gain)}`,
        name,
        isProposedAgain ? 'again' : 'new',
        share(rate.adoptedFirst, rate.promotedFirst),
        share(rate.adopted, rate.promoted),
        rate.seedPairs.toFixed(2),
      ];
      process.stdout.write(`| ${cells.join(' | ')} |\n`);
    }
  }
}
