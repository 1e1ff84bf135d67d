// One campaign in a world of its own, disturbed by the kills that were planned for it, and judged.
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { CACHED } from '../e2e/roots.ts';
import { type Arena, openArena } from './chaos-run.ts';
import { ClaimProcesses } from './claim-processes.ts';
import { Disturbance } from './disturbance.ts';
import { judge, type Reference } from './chaos-problems.ts';
import { isClean, type Kill, type Played } from './kill.ts';
import type { OpenPlace } from './job-hosts.ts';
import { planCampaign } from './plan.ts';
import { readStored } from './progress-marks.ts';
import { SAMPLE_MS, Watch } from './watch.ts';
import { worldVictims } from './machine-targets.ts';

export interface DisturbOptions {
  readonly seed: number;
  readonly campaign: number;
  /** At most so many. */
  readonly kills: number;
  readonly place: { readonly name: string; readonly open: OpenPlace };
  readonly reference: Reference;
  readonly say: (line: string) => void;
}

/** A wrapper tidies up in a moment; a job whose end its slurmctld never heard of is left to the reaper. */
const QUIET_MS_MAX = 90_000;

export async function playDisturbed(options: DisturbOptions): Promise<Played> {
  const { campaign, place } = options;
  const arena = await openArena(campaign, place.open);
  try {
    const played = await play(arena, options);
    const left = await arena.down();
    const whole = { ...played, orphans: [...played.orphans, ...left] };
    if (!isClean(whole)) return { ...whole, keptIn: arena.world.stateDir };
    arena.throwAway();
    return whole;
  } catch (error) {
    await arena.down();
    throw error;
  }
}

async function play(arena: Arena, options: DisturbOptions): Promise<Played> {
  const { seed, campaign, place, reference, say } = options;
  const { world, roots } = arena;
  const { isCold, kills } = planCampaign(seed, campaign, options.kills);
  say(`campaign ${campaign}, ${place.name}, ${isCold ? 'cold' : 'warm'}: ${world.stateDir}`);
  const startedAt = performance.now();
  if (!isCold) await roots.takeWarmStart(reference.roots);
  const jobFolders = [world.paths.jobs, ...arena.place.jobFolders];
  const watch = new Watch(arena.storeRoot, new ClaimProcesses(world.stateDir, jobFolders));
  const disturbance = new Disturbance({
    campaign,
    world,
    watch,
    victims: [...worldVictims(arena, watch), ...arena.place.victims],
    span: spanOf(reference, isCold),
    say,
  });
  await arena.start();
  const unfinished = await disturbance.run(kills);
  // The last kill may have ended who brings the others back.
  await world.evo('up');
  const orphans = await waitForQuiet(arena, watch);
  const findings = await judge(arena, watch, reference);
  return {
    campaign,
    place: place.name,
    isCold,
    seconds: Math.round((performance.now() - startedAt) / 1000),
    kills: withClaims(disturbance.kills, disturbance.startedAt, watch),
    ...findings,
    problems: [...(unfinished === null ? [] : [unfinished]), ...findings.problems],
    orphans,
    keptIn: null,
  };
}

/** How many marks the undisturbed campaign made; those of a warm start that is found are not made again. */
function spanOf({ roots, steps }: Reference, isCold: boolean): number {
  const found = isCold ? [] : steps.filter(({ step }) => CACHED.includes(step));
  const keys = new Set(found.map(({ key }) => key));
  const { marks } = readStored(fileURLToPath(roots.urls.open));
  return marks.filter(({ key }) => key === null || !keys.has(key)).length;
}

/** Answers which processes of jobs are left when the campaign is over and there was time to tidy up. */
async function waitForQuiet({ place }: Arena, watch: Watch): Promise<string[]> {
  for (const end = performance.now() + QUIET_MS_MAX; ; await sleep(SAMPLE_MS)) {
    watch.look();
    const jobs = await place.leftovers();
    const processes = watch.running.map(({ pid, role, folder }) => `${role} ${pid} of ${folder}`);
    const left = [...jobs, ...processes];
    if (left.length === 0 || performance.now() > end) return left;
  }
}

/** Each claim after the first is told of the last kill before it. */
function withClaims(kills: readonly Kill[], startedAt: number, { lives }: Watch): Kill[] {
  const told = kills.map((kill) => ({ ...kill }));
  for (const { claim, madeAt, checkpointsLost } of lives.values()) {
    const kill = told.findLast(({ atMs }) => startedAt + atMs < madeAt);
    if (claim === 1 || kill === undefined) continue;
    kill.claims += 1;
    kill.checkpointsLost += checkpointsLost;
  }
  return told;
}
