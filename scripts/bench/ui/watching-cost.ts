// What a viewer costs worker and Temporal server: their processor time with one, minus that without, while they run a
// campaign. Pairs follow each other closely, because a campaign works more at one time than at another.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { attach } from '../../../cli/connect.ts';
import { listCampaigns } from '../../../cli/campaign.ts';
import type { Environment } from '../../../workers/config.ts';
import { statePaths } from '../../../workers/paths.ts';
import { readSupervisorState } from '../../../workers/supervise/supervisor-state.ts';
import { openContext } from '../../../web/server/open-context.ts';

const windowMs = 15_000;
const PAIRS = 4;
/** Of the kernel's clock, a second. */
const TICKS = 100;

/** Null where no campaign runs on servers of this machine. */
export async function watchingCost(
  environment: Environment,
): Promise<{ readonly percent: number } | null> {
  const children = readSupervisorState(statePaths(environment.stateDir))?.children;
  const pids = [children?.worker?.pid, children?.temporal?.pid].filter((pid) => pid != null);
  const connected = await attach(environment).catch(() => null);
  if (connected === null || pids.length < 2) return null;
  const running = (await listCampaigns(connected)).find(({ status }) => status === 'running');
  await connected.close();
  if (running === undefined) return null;
  const costs: number[] = [];
  for (let pair = 0; pair < PAIRS; pair += 1) {
    const alone = await spent(pids);
    const context = openContext({ environment, readOnly: true, roots: null });
    const stop = context.watch(running.name, () => undefined);
    costs.push((await spent(pids)) - alone);
    stop();
    await context.close();
  }
  const mean = costs.reduce((sum, cost) => sum + cost, 0) / costs.length;
  return { percent: 100 * mean };
}

/** Cores, on average over a window. */
async function spent(pids: readonly number[]): Promise<number> {
  const before = ticksOf(pids);
  await sleep(windowMs);
  return (ticksOf(pids) - before) / TICKS / (windowMs / 1000);
}

function ticksOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return sum + Number(fields[11]) + Number(fields[12]);
  }, 0);
}
