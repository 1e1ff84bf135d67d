// Writes the figures of the fairness bench as a page for docs/results.
import type { ProcessMemory } from './bench-server.ts';

export interface JobTimes {
  readonly campaign: string;
  readonly step: string;
  readonly queuedAt: number;
  readonly startedAt: number;
  readonly endedAt: number;
}

export interface FairnessFigures {
  readonly campaigns: number;
  readonly wide: number;
  readonly interventions: { readonly narrow: number; readonly wide: number };
  readonly cores: number;
  readonly load: number;
  readonly startedAt: number;
  readonly memory: readonly ProcessMemory[];
  readonly jobs: readonly JobTimes[];
}

const MARKS = [0.1, 0.25, 0.5, 0.75, 1] as const;

export function reportFairness(figures: FairnessFigures): string {
  const { campaigns, wide, interventions, cores, load, startedAt, jobs, memory } = figures;
  const end = Math.max(...jobs.map(({ endedAt }) => endedAt));
  const [first] = memory;
  const kinds = ['narrow', 'wide'].filter((kind) => ofKind(jobs, kind).length > 0);
  const most = (of: (one: ProcessMemory) => number): number => Math.max(...memory.map(of));
  return [
    '# Many campaigns on four slots',
    '',
    `${campaigns} campaigns of one generation start at once on one worker, one file store and a local executor with 4 slots. Wrappers`,
    `and slots are real; the trainer only pretends to train. ${wide} campaigns are wide: they have ${interventions.wide} interventions each and submit ${interventions.wide + 1}`,
    `trainings at once. The others are narrow, with ${interventions.narrow} intervention.`,
    '',
    '```sh',
    `node scripts/bench/fairness.ts --campaigns ${campaigns} --wide ${wide}`,
    '```',
    '',
    `${cores} cores, load ${load.toFixed(1)}. ${jobs.length} jobs in ${seconds(end - startedAt)}. The worker used at most ${megabytes(most((one) => one.workerRssBytes))} of resident memory (${megabytes(first?.workerRssBytes ?? Number.NaN)} before the first`,
    `campaign) and ${megabytes(most((one) => one.workerHeapBytes))} of heap.`,
    '',
    `| share of the time | ${kinds.map((kind) => `jobs finished per ${kind} campaign`).join(' | ')} |`,
    `|---|${'---|'.repeat(kinds.length)}`,
    ...MARKS.map((share) => {
      const at = startedAt + share * (end - startedAt);
      const done = kinds.map((kind) => range(doneBy(figures, kind, at)));
      return `| ${100 * share} % | ${done.join(' | ')} |`;
    }),
    '',
    '| wait for a slot | jobs | mean | median | longest |',
    '|---|---|---|---|---|',
    ...kinds.map((kind) => waitLine(kind, ofKind(jobs, kind))),
    waitLine('all', jobs),
    '',
    '| campaigns | first finished after | mean | last |',
    '|---|---|---|---|',
    ...kinds.map((kind) => finishLine(figures, kind)),
  ].join('\n');
}

const ofKind = (jobs: readonly JobTimes[], kind: string): JobTimes[] =>
  jobs.filter(({ campaign }) => campaign.startsWith(kind));

const byCampaign = (jobs: readonly JobTimes[]): JobTimes[][] => [
  ...Map.groupBy(jobs, ({ campaign }) => campaign).values(),
];

const doneBy = ({ jobs }: FairnessFigures, kind: string, at: number): number[] =>
  byCampaign(ofKind(jobs, kind)).map((own) => own.filter(({ endedAt }) => endedAt <= at).length);

function waitLine(name: string, jobs: readonly JobTimes[]): string {
  const waits = jobs.map(({ queuedAt, startedAt }) => startedAt - queuedAt);
  const sorted = waits.toSorted((left, right) => left - right);
  const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  return `| ${name} | ${jobs.length} | ${seconds(mean(waits))} | ${seconds(median)} | ${seconds(Math.max(...waits))} |`;
}

function finishLine({ jobs, startedAt }: FairnessFigures, kind: string): string {
  const ends = byCampaign(ofKind(jobs, kind)).map(
    (own) => Math.max(...own.map(({ endedAt }) => endedAt)) - startedAt,
  );
  return `| ${ends.length} ${kind} | ${seconds(Math.min(...ends))} | ${seconds(mean(ends))} | ${seconds(Math.max(...ends))} |`;
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

function range(counts: readonly number[]): string {
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  return least === most ? String(most) : `${least} to ${most}, mean ${mean(counts).toFixed(1)}`;
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
