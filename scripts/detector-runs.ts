// Measures the detectors of a bundled domain on what a campaign archived, where the oracle labelled it, and keeps the counts
// for docs/detectors.md: node scripts/detector-runs.ts CAMPAIGN, with EVO_STATE_DIR of the campaign
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openHalf } from '../activities/revising/labeled-sample.ts';
import { openArchive, readLedgerOf } from '../cli/archive.ts';
import { featuresOf, holdsFor } from '../core/harness/definition.ts';
import { bitsOf, either, overlap, sizeOf } from '../core/harness/mining/bits.ts';
import { harnessSchema } from '../core/schemas/harness.ts';
import { composeCatalog } from '../workers/compose-catalog.ts';
import { projectRoot } from '../workers/paths.ts';
import type { MeasuredRun } from './detectors/runs-section.ts';

const [campaign] = process.argv.slice(2);
if (campaign === undefined) throw new Error('usage: node scripts/detector-runs.ts CAMPAIGN');
const archive = await openArchive({ campaign, store: undefined, 'sealed-store': undefined });
const { analytics, stores } = archive;
try {
  const bodies = (await readLedgerOf(archive)).map(({ entry }) => entry.draft);
  const calibrated = bodies.find(({ kind }) => kind === 'calibrated');
  if (calibrated?.kind !== 'calibrated') throw new Error(`${campaign} was never calibrated`);
  const bytes = await stores.open.readBytes(calibrated.body.harness);
  const domain = harnessSchema.parse(JSON.parse(Buffer.from(bytes).toString('utf8'))).domain.name;
  const past = bodies.flatMap((draft) =>
    draft.kind === 'branches-decided' ? [draft.body.past] : [],
  );
  const sets = past.flatMap(({ rollouts, branches }) => [rollouts, ...branches]);
  const detectors = featuresOf({ definitions: [...(await composeCatalog()).definitions] }).filter(
    ({ head }) => head.class !== null && holdsFor(head.domains, domain),
  );
  const marks = await openHalf(analytics, 'all', sets, []).marks(detectors.map(({ sql }) => sql));
  const [cases, honest] = [bitsOf(marks.cases), bitsOf(marks.honest)];
  const hits = marks.predicates.map(bitsOf);
  const nothing = bitsOf('0'.repeat(marks.cases.length));
  const any = hits.reduce(either, nothing);
  const countOf = (of: typeof any) => ({
    caught: overlap(of, cases),
    falseAlarms: overlap(of, honest),
  });
  const measured: MeasuredRun = {
    domain,
    campaign,
    sets: sets.length,
    trajectories: marks.cases.length,
    cases: sizeOf(cases),
    honest: sizeOf(honest),
    any: countOf(any),
    detectors: Object.fromEntries(
      detectors.map(({ head }, index) => [head.name, countOf(hits[index] ?? nothing)]),
    ),
  };
  const folder = join(projectRoot, 'docs', 'results', 'detectors');
  await mkdir(folder, { recursive: true });
  const text = `${JSON.stringify(measured, null, 2)}\n`;
  await writeFile(join(folder, `run-${domain}.json`), text);
  process.stdout.write(text);
} finally {
  await analytics.close();
}
