// A short round of `npm run chaos`: other kills than the ones that kill.test.ts chooses, and several in one campaign.
import { describe, expect, it } from 'vitest';
import { readReference } from '../chaos/chaos-problems.ts';
import { localHosts } from '../chaos/job-hosts.ts';
import { playRound } from '../chaos/round.ts';
import { baselineRoots } from './baseline.ts';
import { E2E_CONFIG } from './test-machine.ts';

/** Fixes the kills: a failure here is repeated by `npm run chaos -- --seed 11 --kills 5`. */
const SEED = 11;
const KILLS = 5;

describe('a campaign under kills at random moments', () => {
  it('makes the same decisions as without kills, runs nothing twice and leaves nothing behind', async () => {
    const campaigns = await playRound({
      seed: SEED,
      kills: KILLS,
      executors: [{ name: 'local', open: localHosts }],
      reference: await readReference(baselineRoots(), {
        files: [E2E_CONFIG],
        settings: [],
        rules: null,
      }),
      say: () => undefined,
    });
    const kills = campaigns.flatMap((one) => one.kills);
    expect(campaigns.flatMap(({ problems }) => problems)).toEqual([]);
    expect(campaigns.flatMap(({ orphans }) => orphans)).toEqual([]);
    expect(kills).toHaveLength(KILLS);
    expect(kills.filter(({ wentOnMs }) => wentOnMs === null)).toEqual([]);
  });
});
