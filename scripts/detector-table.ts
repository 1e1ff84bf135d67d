// Measures every detector with a flag and writes docs/detectors.md: node scripts/detector-table.ts
// With --record NAME SET it keeps the sums of one set as docs/results/detectors/NAME.json instead: what detectors did on
// cases before anybody who writes detectors had seen them can be measured once only.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { detectInFiles, detectInGroups } from '../workers/compose-detect.ts';
import { type Measured, measureCases, measuredSchema } from './detectors/measure-cases.ts';
import { detectorsPage, type MeasuredSet } from './detectors/detectors-page.ts';
import { type MeasuredRun, measuredRunSchema } from './detectors/runs-section.ts';
import { composeCatalog } from '../workers/compose-catalog.ts';

const root = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));
const RECORDS = 'docs/results/detectors';

/** Files of a set: those that hold trajectories, and those that hold populations. */
const SETS = {
  fixtures: {
    files: ['test/fixtures/detectors/*', 'test/fixtures/detector-groups/*'],
    title: 'Fixtures',
    about: 'one hack and one honest twin a case, written together with the detectors',
  },
  'variants-1': {
    files: [
      'test/fixtures/variants/variants-1.jsonl',
      'test/fixtures/variants/variants-groups-1.jsonl',
    ],
    title: 'Variants, first set',
    about:
      'written without sight of the detectors; their misses were looked at, and detectors changed after that',
  },
  'variants-2': {
    files: [
      'test/fixtures/variants/variants-2.jsonl',
      'test/fixtures/variants/variants-groups-2.jsonl',
    ],
    title: 'Variants, second set',
    about:
      'written without sight of the detectors, with other tricks, agents and languages; its misses were looked at, and detectors changed after that',
  },
  'variants-3': {
    files: [
      'test/fixtures/variants/variants-3.jsonl',
      'test/fixtures/variants/variants-groups-3.jsonl',
    ],
    title: 'Variants, third set',
    about:
      'written without sight of the detectors, by another author; its misses were looked at after the first sight',
  },
  'variants-4': {
    files: [
      'test/fixtures/variants/variants-4.jsonl',
      'test/fixtures/variants/variants-groups-4.jsonl',
    ],
    title: 'Variants, fourth set',
    about:
      'written without sight of the detectors, by a third author who was asked for what training under pressure would find; who writes detectors has seen these counts, and no trajectory of it',
  },
} as const;
type SetName = keyof typeof SETS;

const caseSchema = z.looseObject({
  id: z.string(),
  expected: z.array(z.string()),
  also: z.array(z.string()).nullish(),
});

async function filesOf(pattern: string): Promise<string[]> {
  if (!pattern.endsWith('*')) return [root(pattern)];
  const folder = pattern.slice(0, -1);
  return (await readdir(root(folder))).toSorted().map((name) => root(`${folder}${name}`));
}

async function measure(name: SetName): Promise<Measured> {
  const files = (await Promise.all(SETS[name].files.map(filesOf))).flat();
  const texts = await Promise.all(files.map(async (file) => readFile(file, 'utf8')));
  const lines = texts.map((text) => text.trim().split('\n'));
  const isGroups = (index: number): boolean => (lines[index]?.[0] ?? '').includes('"before"');
  const single = await detectInFiles(files.filter((_, index) => !isGroups(index)));
  const pairs = await detectInGroups(files.filter((_, index) => isGroups(index)));
  const cases = lines.flat().map((line) => caseSchema.parse(JSON.parse(line)));
  return measureCases(cases, [...single.readings, ...pairs.readings]);
}

async function recorded(name: string): Promise<Measured | null> {
  const text = await readFile(root(`${RECORDS}/${name}.json`), 'utf8').catch(() => null);
  return text === null ? null : measuredSchema.parse(JSON.parse(text));
}

/** What `scripts/detector-runs.ts` measured on archives, which are not kept with the code. */
async function recordedRuns(): Promise<MeasuredRun[]> {
  const names = (await readdir(root(RECORDS))).filter((name) => name.startsWith('run-'));
  const texts = await Promise.all(
    names.toSorted().map(async (name) => readFile(root(`${RECORDS}/${name}`), 'utf8')),
  );
  return texts.map((text) => measuredRunSchema.parse(JSON.parse(text)));
}

const isSetName = (name: string | undefined): name is SetName =>
  name !== undefined && Object.keys(SETS).includes(name);

const [flag, record, set] = process.argv.slice(2);
if (flag === '--record') {
  if (record === undefined || !isSetName(set)) {
    throw new Error(`usage: --record NAME SET, with a set of ${Object.keys(SETS).join(', ')}`);
  }
  const measured = await measure(set);
  await mkdir(root(RECORDS), { recursive: true });
  await writeFile(root(`${RECORDS}/${record}.json`), `${JSON.stringify(measured, null, 2)}\n`);
  console.log(JSON.stringify(measured.all));
} else {
  const sets: MeasuredSet[] = [];
  for (const name of Object.keys(SETS).filter(isSetName)) {
    const { title, about } = SETS[name];
    const firstSight = await recorded(`${name}-first-sight`);
    sets.push({ title, about, firstSight, now: await measure(name) });
  }
  await writeFile(
    root('docs/detectors.md'),
    detectorsPage(await composeCatalog(), sets, await recordedRuns()),
  );
}
