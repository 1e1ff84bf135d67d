// Which kills a campaign meets, and when: fixed by the seed, whatever the machine is doing meanwhile.
import { Draw } from './draw.ts';

export interface PlannedKill {
  /** Strikes when the campaign has made this part of its marks, */
  readonly at: number;
  /** and this much later. */
  readonly delayMs: number;
  /** Chooses target and blow, again and again until one hits. */
  readonly draw: Draw;
}

export interface CampaignPlan {
  /** Plays its warm start itself, instead of finding the undisturbed campaign's. */
  readonly isCold: boolean;
  /** In the order of their moments. */
  readonly kills: readonly PlannedKill[];
}

const COLD_CHANCE = 0.25;
/** The last marks come with the end, when there is nothing left to disturb. */
const AT_MAX = 0.97;
const DELAY_MS_MAX = 2_000;

export function planCampaign(seed: number, campaign: number, kills: number): CampaignPlan {
  const name = `${seed}/${campaign}`;
  const draw = new Draw(name);
  const isCold = draw.chance(COLD_CHANCE);
  const moments = Array.from({ length: kills }, () => ({
    at: draw.between(0, AT_MAX),
    delayMs: draw.between(0, DELAY_MS_MAX),
  }));
  const ordered = moments.toSorted((left, right) => left.at - right.at);
  return {
    isCold,
    kills: ordered.map((moment, index) => ({ ...moment, draw: new Draw(`${name}/${index}`) })),
  };
}
