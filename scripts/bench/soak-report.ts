// Writes the figures of a soak as a page for docs/results.

import type { ProcessMemory } from './bench-server.ts';

export interface SoakSample extends ProcessMemory {
  readonly generation: number;
}

export interface WorkflowFigures {
  readonly startedAt: number;
  readonly closedAt: number | null;
  readonly events: number;
  readonly bytes: number;
  readonly status: string;
}

export interface SoakFigures {
  readonly generations: number;
  readonly interventions: number;
  readonly cores: number;
  readonly load: number;
  readonly samples: readonly SoakSample[];
  readonly campaigns: readonly WorkflowFigures[];
  readonly generationRuns: readonly WorkflowFigures[];
  readonly branches: readonly WorkflowFigures[];
}

const GOALS = { historyBytes: 100_000, secondsMax: 1.5 } as const;
/** Memory counts as flat if it grows by at most this share from the second sample to the last. */
const FLAT = 0.1;
const WINDOW = 100;

export function reportSoak(figures: SoakFigures): string {
  const { generations, interventions, cores, load, samples, generationRuns } = figures;
  return [
    '# Many generations',
    '',
    `One campaign of ${generationRuns.length} generations with ${interventions} interventions each. The Temporal server, its database file, the worker, the`,
    'workflows, activities, researcher, gate, ledger and file store are real. Jobs and queries are synthetic',
    '(`SyntheticExecutor`, `MemoryAnalytics`), so the figures measure everything except them.',
    '',
    '```sh',
    `node scripts/bench/soak.ts --generations ${generations}`,
    '```',
    '',
    `${cores} cores, load ${load.toFixed(1)}.`,
    '',
    '| goal | measured | holds |',
    '|---|---|---|',
    ...goals(figures),
    '',
    '| generations | seconds per generation |',
    '|---|---|',
    ...paces(figures.generationRuns),
    '',
    '| workflow | runs | most bytes | most events | mean bytes |',
    '|---|---|---|---|---|',
    historyLine('campaign', figures.campaigns),
    historyLine('generation', figures.generationRuns),
    historyLine('branch', figures.branches),
    '',
    `The campaign continued as new ${figures.campaigns.length - 1} times.`,
    '',
    '| generation | worker CPU s per generation | worker, resident | heap after collection | server, resident | database |',
    '|---|---|---|---|---|---|',
    ...samples.map(
      (one, index) =>
        `| ${one.generation} | ${cpuEach(samples[index - 1], one)} | ${megabytes(one.workerRssBytes)} | ${megabytes(one.workerHeapBytes)} | ${megabytes(one.serverRssBytes)} | ${megabytes(one.databaseBytes)} |`,
    ),
  ].join('\n');
}

function goals({ campaigns, generationRuns, branches, samples }: SoakFigures): string[] {
  const largest = most([...campaigns, ...generationRuns, ...branches], ({ bytes }) => bytes);
  const pace = secondsEach(generationRuns);
  const [, second] = samples;
  const last = samples.at(-1);
  const growth = (of: (one: SoakSample) => number): number =>
    second === undefined || last === undefined ? Number.NaN : of(last) / of(second) - 1;
  const resident = growth(({ workerRssBytes }) => workerRssBytes);
  const heap = growth(({ workerHeapBytes }) => workerHeapBytes);
  const holds = (isMet: boolean): string => (isMet ? 'yes' : '**no**');
  return [
    `| history of each workflow below ${kilobytes(GOALS.historyBytes)} | ${kilobytes(largest)} | ${holds(largest < GOALS.historyBytes)} |`,
    `| at most ${GOALS.secondsMax} s per generation | ${pace.toFixed(2)} s | ${holds(pace <= GOALS.secondsMax)} |`,
    `| worker heap is flat: at most ${percent(FLAT)} above the second sample | ${percent(heap)} | ${holds(heap <= FLAT)} |`,
    `| worker resident memory is flat, in the same way | ${percent(resident)} | ${holds(resident <= FLAT)} |`,
  ];
}

function paces(runs: readonly WorkflowFigures[]): string[] {
  const window = Math.min(WINDOW, runs.length);
  return [
    `| first ${window} | ${secondsEach(runs.slice(0, window)).toFixed(2)} |`,
    `| last ${window} | ${secondsEach(runs.slice(-window)).toFixed(2)} |`,
    `| all | ${secondsEach(runs).toFixed(2)} |`,
  ];
}

/** From the start of the first to the end of the last, with the campaign's own work in between. */
function secondsEach(runs: readonly WorkflowFigures[]): number {
  const ends = runs.map(({ closedAt, startedAt }) => closedAt ?? startedAt);
  const first = runs[0]?.startedAt ?? Number.NaN;
  return (Math.max(...ends) - first) / 1000 / runs.length;
}

function historyLine(name: string, runs: readonly WorkflowFigures[]): string {
  const mean = runs.reduce((sum, { bytes }) => sum + bytes, 0) / runs.length;
  const bytes = most(runs, (one) => one.bytes);
  const events = most(runs, (one) => one.events);
  return `| ${name} | ${runs.length} | ${kilobytes(bytes)} | ${events} | ${kilobytes(mean)} |`;
}

/** Since the previous sample; unlike wall time it hardly depends on other processes. */
function cpuEach(before: SoakSample | undefined, now: SoakSample): string {
  if (before === undefined) return '–';
  return ((now.workerCpuS - before.workerCpuS) / (now.generation - before.generation)).toFixed(2);
}

const most = (runs: readonly WorkflowFigures[], of: (run: WorkflowFigures) => number): number =>
  runs.reduce((largest, run) => Math.max(largest, of(run)), 0);

const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`;
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;
