// Recipes: how often a promoted branch carries a useless or harmful change into the recipe, and how often a good one.
import { type AdoptionWorld, playAdoptions } from './adoption-worlds.ts';
import { type GatePart, shareText, tableOf } from './gate-play.ts';

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

const HEAD = [
  'true effect, points',
  'spread between seeds, points',
  'proposed',
  'first generation',
  'all generations',
  'fresh seed pairs',
];

function rowsOf(campaigns: number, seed: number): string[][] {
  return GAINS.flatMap(({ gain, only }) =>
    SPREADS.filter(({ name }) => only === undefined || only.includes(name)).flatMap(
      ({ name, changed, control }) =>
        [false, true].map((isProposedAgain) => {
          const world: AdoptionWorld = {
            gain,
            spreads: changed,
            controlSpread: control,
            isProposedAgain,
          };
          const plan = { campaigns, generations: GENERATIONS, interventions: 2, max: 3 };
          const rate = playAdoptions(world, plan, seed);
          return [
            String(Math.round(100 * gain)),
            name,
            isProposedAgain ? 'again' : 'new',
            shareText(rate.adoptedFirst, rate.promotedFirst),
            shareText(rate.adopted, rate.promoted),
            rate.seedPairs.toFixed(2),
          ];
        }),
    ),
  );
}

export const recipes: GatePart = {
  name: 'recipes',
  title: 'Recipes',
  play: (repetitions, seed) =>
    `Share of promoted changes that are adopted, in percent, over campaigns of ${GENERATIONS}
generations with two interventions and at most three seeds; every challenger is promoted, and the
rule knows no spread (goals: a useless change at most 5 %, a harmful one at most 1.5 %, +5 points
at a spread of 1 and +12 at 3 at least 80 %). *Again*: the same change in every generation, so that
its evidence adds up. The first generation of a family has a stricter level.

${tableOf(HEAD, rowsOf(repetitions, seed))}`,
};
