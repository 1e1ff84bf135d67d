// An inquiry over archived trajectories, half of whose tasks are kept for testing detectors.
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDbAnalytics } from '../../../infra/analytics/duckdb/duckdb-analytics.ts';
import { MemoryStore } from '../../../infra/store/memory/memory-store.ts';
import { HONEST, type Played, SPRAYED, storeSet, WRONG } from '../synthetic-set.ts';
import type { Archive } from './inquiry-bench.ts';

/** In no answer of any tool. */
export const OTHER_HALF = 'MARKER-OTHER-HALF';
/** What an environment keeps of a task and its answer, in columns of both halves that no tool shows. */
export const ANSWER_KEY = 'MARKER-ANSWER-KEY';
const UNSHOWN = [
  'policy_sha256',
  'recipe_sha256',
  'environment_version',
  'content_hash',
  'seed',
  'extra',
  'messages',
  'completion_ids_sha256',
];
/** In what an inquiry may read. */
export const MINED_HALF = 'marker-mined-half';

const code = (task: string): number =>
  createHash('md5').update(task).digest('hex').charCodeAt(0) % 2;
export const isMined = (task: string): boolean => code(task) === 0;

const TASKS = Array.from({ length: 24 }, (_, index) => `task${index}`);

const played = (tasks: readonly string[]): Played[] =>
  tasks.flatMap((task) => {
    const said = isMined(task) ? MINED_HALF : OTHER_HALF;
    return [HONEST, SPRAYED, WRONG].map((artifact) => ({
      task,
      artifact: `${said} ${artifact}`,
      prompt: `Q ${said} 7 * 4 - 9 ?`,
      row: Object.fromEntries(UNSHOWN.map((name) => [name, ANSWER_KEY])),
    }));
  });

/** Ids begin with `d` and count up from 0 by task. */
export async function openHalvedArchive(): Promise<
  Required<Omit<Archive, 'memory'>> & { close(): Promise<void> }
> {
  const folder = await mkdtemp(join(tmpdir(), 'evo-archive-'));
  const open = new MemoryStore('open');
  const sealed = new MemoryStore('sealed');
  const analytics = new DuckDbAnalytics({ open, sealed: null }, folder);
  const { trajectories: diag, labels } = await storeSet(open, played(TASKS), 'd');
  const { trajectories: train } = await storeSet(open, [], 'n');
  const close = async (): Promise<void> => {
    await analytics.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { open, sealed, analytics, rollouts: { train, diag, labels }, close };
}

/** Of the trajectories of one half. */
export const idsOf = (mined: boolean): string[] =>
  played(TASKS).flatMap(({ task }, index) =>
    isMined(task) === mined ? [`d${String(index).padStart(4, '0')}`] : [],
  );
