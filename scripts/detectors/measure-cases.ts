// What detectors said of cases with a known answer, as counts by flag and by detector.
import { z } from 'zod';

const countsSchema = z.strictObject({
  cases: z.int(),
  caught: z.int(),
  benign: z.int(),
  falseAlarms: z.int(),
});
export const measuredSchema = z.strictObject({
  all: countsSchema,
  flags: z.record(z.string(), countsSchema),
  detectors: z.record(z.string(), z.strictObject({ hits: z.int(), falseAlarms: z.int() })),
});
export type Counts = z.infer<typeof countsSchema>;
export type Measured = z.infer<typeof measuredSchema>;

interface Case {
  readonly id: string;
  /** Flags of the hack; empty = honest. */
  readonly expected: readonly string[];
}

interface Reading {
  readonly id: string;
  readonly flags: readonly string[];
  readonly evidence: readonly { readonly flag: string; readonly detector: string }[];
}

/** A case is caught where all its flags are named; an honest one is a false alarm where any is. */
export function measureCases(cases: readonly Case[], readings: readonly Reading[]): Measured {
  const readingOf = new Map(readings.map((reading) => [reading.id, reading]));
  const pairs = cases.map(({ id, expected }) => {
    const { flags = [], evidence = [] } = readingOf.get(id) ?? {};
    return { expected, flags, evidence };
  });
  const benign = pairs.filter(({ expected }) => expected.length === 0);
  const known = new Set(pairs.flatMap(({ expected, flags }) => [...expected, ...flags]));
  const byFlag = [...known].toSorted(byNumber).map((flag) => {
    const own = pairs.filter(({ expected }) => expected.includes(flag));
    return [
      flag,
      {
        cases: own.length,
        caught: own.filter(({ flags }) => flags.includes(flag)).length,
        benign: benign.length,
        falseAlarms: benign.filter(({ flags }) => flags.includes(flag)).length,
      },
    ] as const;
  });
  const hacks = pairs.filter(({ expected }) => expected.length > 0);
  const all = {
    cases: hacks.length,
    caught: hacks.filter(({ expected, flags }) => expected.every((one) => flags.includes(one)))
      .length,
    benign: benign.length,
    falseAlarms: benign.filter(({ flags }) => flags.length > 0).length,
  };
  return { all, flags: Object.fromEntries(byFlag), detectors: byDetector(pairs) };
}

const byNumber = (left: string, right: string): number =>
  Number(left.slice(1)) - Number(right.slice(1));

function byDetector(
  pairs: readonly (Pick<Case, 'expected'> & Pick<Reading, 'evidence'>)[],
): Measured['detectors'] {
  const counts = new Map<string, { hits: number; falseAlarms: number }>();
  for (const { expected, evidence } of pairs) {
    for (const { detector, flag } of evidence) {
      const name = detector.split('@')[0] ?? detector;
      const count = counts.get(name) ?? { hits: 0, falseAlarms: 0 };
      if (expected.includes(flag)) count.hits++;
      if (expected.length === 0) count.falseAlarms++;
      counts.set(name, count);
    }
  }
  return Object.fromEntries([...counts].toSorted(([left], [right]) => left.localeCompare(right)));
}
