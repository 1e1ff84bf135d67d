// Campaign after campaign, until so many kills have hit.
import { type DisturbOptions, playDisturbed } from './play-disturbed.ts';
import type { ChaosResult } from './kill.ts';

/** Close enough together that some meet the recovery from the one before. */
const KILLS_PER_GENERATION = 8;
/** One in which nothing can be hit would otherwise be played for ever. */
const IDLE_CAMPAIGNS_MAX = 3;

export interface RoundOptions extends Pick<DisturbOptions, 'seed' | 'reference' | 'say'> {
  readonly kills: number;
  /** Campaigns take them in turn. */
  readonly executors: readonly [DisturbOptions['executor'], ...DisturbOptions['executor'][]];
  readonly onPlayed?: (played: ChaosResult) => void;
}

export async function playRound(options: RoundOptions): Promise<ChaosResult[]> {
  const { executors, kills, reference } = options;
  const perCampaign = KILLS_PER_GENERATION * reference.campaign.generations;
  const played: ChaosResult[] = [];
  let landed = 0;
  for (let idle = 0; landed < kills && idle < IDLE_CAMPAIGNS_MAX;) {
    const campaign = played.length + 1;
    const executor = executors[played.length % executors.length] ?? executors[0];
    const wanted = Math.min(perCampaign, kills - landed);
    const one = await playDisturbed({ ...options, campaign, kills: wanted, executor });
    played.push(one);
    options.onPlayed?.(one);
    landed += one.kills.length;
    idle = one.kills.length === 0 ? idle + 1 : 0;
  }
  return played;
}
