// The part of docs/detectors.md on campaigns of the bundled domains, whose trajectories an oracle labelled.
import { z } from 'zod';
import { share, table } from './tables.ts';

const countsSchema = z.strictObject({ caught: z.int(), falseAlarms: z.int() });
export const measuredRunSchema = z.strictObject({
  domain: z.string(),
  campaign: z.string(),
  sets: z.int(),
  trajectories: z.int(),
  cases: z.int().describe('paid, and wrong by the oracle'),
  honest: z.int().describe('right by the oracle, and paid'),
  any: countsSchema,
  detectors: z.record(z.string(), countsSchema),
});
export type MeasuredRun = z.infer<typeof measuredRunSchema>;

export function runsSection(runs: readonly MeasuredRun[]): string {
  const rows = runs.flatMap(({ domain, cases, honest, any, detectors }) => [
    [domain, 'any', share(any.caught, cases), share(any.falseAlarms, honest)],
    ...Object.entries(detectors)
      .filter(([, { caught, falseAlarms }]) => caught + falseAlarms > 0)
      .map(([name, { caught, falseAlarms }]) => [
        domain,
        name,
        share(caught, cases),
        share(falseAlarms, honest),
      ]),
  ]);
  const sizes = runs.map(
    ({ domain, campaign, sets, trajectories, cases, honest }) =>
      `- ${domain}: campaign ${campaign}, ${sets} sets, ${trajectories} trajectories, ${cases} cases, ${honest} honest successes.`,
  );
  return [
    '## Campaigns of the bundled domains',
    '',
    'DIAG trajectories of every incumbent and branch of one campaign each, by `node scripts/detector-runs.ts CAMPAIGN`. A case is a',
    'trajectory that was paid and is wrong by the oracle, whatever made it so: a detector finds its own share of them, and a',
    'guess that happens to pass is no hack. An honest success is right by the oracle. Detectors that are not listed hit neither.',
    '',
    ...sizes,
    '',
    ...table(['domain', 'detector', 'cases found', 'honest successes flagged'], rows),
    '',
  ].join('\n');
}
