// How fast ten figures are read from a hundred thousand trajectories: by the query process in a first pass and from kept
// features, by plain Node over JSON lines, and by Polars over Parquet, in one go on one machine.
//
//   node scripts/bench/analytics.ts [TRAJECTORIES] > docs/results/analytics.json
//
// Needs `uv` in the path, which fetches Polars for the third reader alone.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, readdirSync, readFileSync } from 'node:fs';
import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import { MemoryStore } from '../../infra/store/memory/memory-store.ts';
import { FACT_COLUMNS, parquetOf } from '../../activities/reading/trajectory-tables.ts';
import type { ArtifactRef } from '../../core/schemas/artifact.ts';
import { DuckDbAnalytics } from '../../infra/analytics/duckdb/duckdb-analytics.ts';
import { COLUMNS } from '../../test/activities/synthetic-set.ts';
import { FEATURES, figuresQuery, NAMED } from './analytics-figures.ts';
import { trajectoryLines } from './analytics-rows.ts';

const COUNT = Number(process.argv[2] ?? 100_000);
const SEED = 7;
const REPEATS = 25;
const READER = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

interface Taken {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly peakMb: number;
}

const folder = await mkdtemp(join(tmpdir(), 'evo-bench-'));

async function measure() {
  const lines = join(folder, 'rows.jsonl');
  await pipeline(joined(trajectoryLines(COUNT, SEED)), createWriteStream(lines));
  const parquet = join(folder, 'rows.parquet');
  await convert(
    `SELECT * FROM read_json('${lines}', format = 'newline_delimited', columns = {${types()}})`,
    parquet,
  );
  const tenth = await part(parquet, 'tenth', `LIMIT ${COUNT / 10}`);
  const tenfold = await part(parquet, 'tenfold', `, range(10) AS copies(copy) ORDER BY copy`);
  const ours = await readByQueries(parquet);
  const node = readByNode(lines);
  const polars = readByPolars(parquet);
  return {
    trajectories: COUNT,
    jsonBytes: (await stat(lines)).size,
    parquetBytes: (await stat(parquet)).size,
    figures: { ours: ours.figures, node: node.figures, polars: polars.figures },
    taken: { ...ours.taken, node: node.taken, polars: polars.taken },
    peakMb: {
      tenth: (await readByQueries(tenth)).taken.firstPass.peakMb,
      whole: ours.taken.firstPass.peakMb,
      tenfold: (await readByQueries(tenfold)).taken.firstPass.peakMb,
    },
  };
}

function* joined(all: Iterable<string>): Generator<string> {
  let block: string[] = [];
  for (const line of all) {
    block.push(line);
    if (block.length < 500) continue;
    yield `${block.join('\n')}\n`;
    block = [];
  }
  if (block.length > 0) yield `${block.join('\n')}\n`;
}

const types = (): string =>
  Object.entries(COLUMNS)
    .map(([name, type]) => `"${name}": '${type}'`)
    .join(', ');

async function convert(select: string, target: string): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:', { memory_limit: '4GB' });
  const connection = await instance.connect();
  await connection.run(`SET temp_directory = '${folder}/spill'`);
  await connection.run(`COPY (${select}) TO '${target}' (FORMAT parquet, COMPRESSION zstd)`);
  instance.closeSync();
}

async function part(parquet: string, name: string, more: string): Promise<string> {
  const target = join(folder, `${name}.parquet`);
  const columns = more.includes('copies') ? '* EXCLUDE (copy)' : '*';
  await convert(`SELECT ${columns} FROM read_parquet('${parquet}') ${more}`, target);
  return target;
}

/** First pass; the same again; with a feature more; and by another process, from what the first one kept. */
async function readByQueries(parquet: string) {
  const hash = createHash('sha256');
  await pipeline(createReadStream(parquet), hash);
  const { size } = await stat(parquet);
  const ref: ArtifactRef = { root: 'open', sha256: hash.digest('hex'), sizeBytes: size };
  const fetchFile = (_: ArtifactRef, path: string): Promise<void> => copyFile(parquet, path);
  // A store of one object: what a query reads of a store is its files.
  const open = Object.assign(new MemoryStore('open'), { fetchFile });
  const cache = await mkdtemp(join(folder, 'cache-'));
  const reader = async () => {
    const analytics = new DuckDbAnalytics({ open, sealed: null }, cache);
    const ask = async (sql: string, features: Readonly<Record<string, string>>) => {
      const columns = Object.entries(features).map(([name, text]) => ({ name, sql: text }));
      const derived = { from: FACT_COLUMNS, columns };
      const tables = { t_rows: { ...parquetOf(ref), derived } };
      return analytics.query({ sql, tables, views: [viewOf(Object.keys(features))] });
    };
    // The process and the verified copy are there before the clock starts, as the file is for the others.
    await ask('SELECT count(*) AS n FROM t', {});
    return { ask, close: () => analytics.close() };
  };
  const first = await reader();
  let figures: unknown = null;
  const firstPass = await timed(async () => {
    [figures] = await first.ask(figuresQuery, FEATURES);
  });
  const again = await timed(() => first.ask(figuresQuery, FEATURES), REPEATS);
  const more = { ...FEATURES, characters: 'len(artifact)' };
  const newFeature = await timed(() => first.ask('SELECT avg(characters) AS c FROM t', more));
  await first.close();
  const second = await reader();
  const fromKept = await timed(() => second.ask(figuresQuery, FEATURES));
  await second.close();
  return { figures, taken: { firstPass, again, newFeature, fromKept } };
}

/** As a report stands on it: what its figures name of the rows. */
const viewOf = (features: readonly string[]) => ({
  name: 't',
  sql: `SELECT ${[...NAMED, ...features].join(', ')} FROM t_rows`,
});

/** What one of `repeats` takes: a tick of the processor's clock is too coarse for the shortest. */
async function timed(run: () => Promise<unknown>, repeats = 1): Promise<Taken> {
  const before = childUse();
  const began = performance.now();
  for (let repeat = 0; repeat < repeats; repeat += 1) await run();
  const wallMs = (performance.now() - began) / repeats;
  const { cpuMs, peakMb } = childUse();
  return { wallMs, cpuMs: (cpuMs - before.cpuMs) / repeats, peakMb };
}

/** What the query process, the only child at that time, has used so far; the clock ticks a hundred times a second. */
function childUse(): { readonly cpuMs: number; readonly peakMb: number } {
  for (const id of readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name))) {
    try {
      const fields = readFileSync(`/proc/${id}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      if (Number(fields[1]) !== process.pid) continue;
      const peakKb = /VmHWM:\s+([0-9]+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1];
      return {
        cpuMs: 10 * (Number(fields[11]) + Number(fields[12])),
        peakMb: Number(peakKb) / 1024,
      };
    } catch {
      continue;
    }
  }
  throw new RangeError('there is no query process');
}

interface Told {
  readonly figures: unknown;
  readonly taken: Taken;
}

const tell = (program: string, words: readonly string[]): Told => {
  const { stdout, stderr, status } = spawnSync(program, words, { encoding: 'utf8' });
  if (status !== 0) throw new RangeError(`${program}: ${stderr}`);
  const told: Told = JSON.parse(stdout);
  return told;
};

const readByNode = (lines: string): Told =>
  tell(process.execPath, [READER('analytics-node.ts'), lines]);

const readByPolars = (parquet: string): Told =>
  tell('uv', [
    ...['run', '--no-project', '--with', 'polars==1.35.2', 'python'],
    ...[READER('analytics_polars.py'), parquet],
  ]);

try {
  console.log(JSON.stringify(await measure(), null, 2));
} finally {
  await rm(folder, { recursive: true });
}
