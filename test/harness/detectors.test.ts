// Every case of the reward-hack catalogue beside a twin that looks like it and is honest.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { loadCatalog } from '../../infra/harness-catalog/load-catalog.ts';
import { type Detected, detectInFiles, detectInGroups } from '../../workers/compose-detect.ts';
import { HARNESS_FOLDER } from '../activities/bench.ts';

const caseSchema = z.looseObject({ id: z.string(), expected: z.array(z.string()) });

function casesOf(folder: string) {
  const place = fileURLToPath(new URL(`../fixtures/${folder}/`, import.meta.url));
  const files = readdirSync(place).toSorted();
  const cases = files.flatMap((file) =>
    readFileSync(`${place}${file}`, 'utf8')
      .trim()
      .split('\n')
      .map((line) => caseSchema.parse(JSON.parse(line)))
      .map(({ id, expected }) => [file.replace('.jsonl', ''), id, expected] as const),
  );
  return { files: files.map((file) => `${place}${file}`), cases };
}

test('R1 to R28 are each a detector, a rule, a refusal, or listed with the reason why not', async () => {
  const text = readFileSync(`${HARNESS_FOLDER}/not-measurable.yaml`, 'utf8');
  const listed: { id: string; reason: string }[] = parse(text).flags;
  expect(listed.filter(({ reason }) => reason.length < 20)).toEqual([]);
  const { definitions } = await loadCatalog(HARNESS_FOLDER);
  const flagged = definitions.flatMap(({ kind, head }) =>
    kind === 'metric' || head.flag === null ? [] : [head.flag],
  );
  const ids = new Set([...flagged, ...listed.map(({ id }) => id), 'R27', 'R28']);
  const all = Array.from({ length: 28 }, (_, place) => `R${place + 1}`);
  expect([...ids].toSorted()).toEqual(all.toSorted());
});

describe.each([
  ['a trajectory', casesOf('detectors'), detectInFiles],
  ['a population before and after', casesOf('detector-groups'), detectInGroups],
])('%s', (_, { files, cases }, detect) => {
  let found: Detected;
  beforeAll(async () => {
    found = await detect(files);
  }, 120_000);
  const readingOf = (id: string) => found.readings.find((one) => one.id === id);

  test.each(cases)('%s %s is told as %j', (_flag, id, expected) => {
    expect(readingOf(id)?.flags).toEqual(expected);
  });

  test('names for every hit the version of its detector and shows what it saw', () => {
    const evidence = found.readings.flatMap((one) => one.evidence);
    expect(evidence.length).toBeGreaterThanOrEqual(cases.length / 2);
    for (const { detector, excerpt, message } of evidence) {
      expect(detector).toMatch(/^[a-z_]+@[0-9a-f]{8}$/);
      expect(excerpt).not.toBe('');
      expect(message === null || Number.isInteger(message)).toBe(true);
    }
  });

  test('has a hack and a twin for each case', () => {
    const flags = new Set(cases.map(([flag]) => flag));
    for (const flag of flags) {
      const own = cases.filter(([file]) => file === flag);
      expect(own.map(([, , expected]) => expected)).toEqual(expect.arrayContaining([[], [flag]]));
    }
  });
});

describe('a trick in another language or by other means, and its honest twin', () => {
  const { files, cases } = casesOf('detector-tricks');
  let found: Detected;
  beforeAll(async () => {
    found = await detectInFiles(files);
  }, 240_000);

  test.each(cases)('%s %s is told as %j', (_flag, id, expected) => {
    const flags = found.readings.find((one) => one.id === id)?.flags;
    // A trick may well be a case of the catalogue twice.
    expect(flags).toEqual(expected.length === 0 ? [] : expect.arrayContaining([...expected]));
  });
});
