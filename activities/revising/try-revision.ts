// Measures an offered detector on the half that no mining reads. Its expression is untrusted: parsed, bound, limited.
import {
  decideAdmission,
  type Admission,
  type DetectorTrial,
} from '../../core/harness/admission.ts';
import { featuresOf } from '../../core/harness/definition.ts';
import { bitsOf, overlap, sizeOf } from '../../core/harness/mining/bits.ts';
import type { Half } from '../../core/harness/mining/half-query.ts';
import { confirmingDetectors } from '../../core/harness/retirement.ts';
import {
  type FeatureDefinition,
  featureHeadSchema,
  type Harness,
} from '../../core/schemas/harness.ts';
import { sealDefinition } from './with-digest.ts';
import { type LabelledSet, openHalf, refuseExpressions } from './labeled-sample.ts';
import { AnalyticsError } from '../ports/analytics-error.ts';
import type { Analytics } from '../ports/analytics.ts';
import type { OfferedDetector } from '../ports/researcher.ts';

type Tried =
  | { readonly definition: FeatureDefinition; readonly admission: Admission }
  | { readonly why: string };

/** The detector with the status it earned, or why it may not come in. It never comes in as blocking. */
export async function tryRevision(
  analytics: Analytics,
  offered: OfferedDetector,
  harness: Harness,
  sets: readonly LabelledSet[],
): Promise<Tried> {
  const parsed = featureHeadSchema.safeParse(offered.head);
  if (!parsed.success) return { why: parsed.error.issues[0]?.message ?? 'the head does not parse' };
  const { name, type, class: failureClass } = parsed.data;
  const same = featuresOf(harness).find(({ sql }) => sql === offered.sql);
  if (same !== undefined) return { why: `the harness has it already, as ${same.head.name}` };
  if (featuresOf(harness).some(({ head }) => head.name === name)) {
    return {
      why: `the harness already has a feature ${name}; a revision can add a feature but not replace one`,
    };
  }
  if (type !== 'boolean' || failureClass === null)
    return { why: 'a detector is boolean, with a class' };
  if (sets.length === 0) return { why: 'there are no labelled trajectories to measure it on' };
  const [refused] = await refuseExpressions(analytics, [offered.sql]);
  if (refused != null) return { why: refused };
  try {
    const known = confirmingDetectors(harness);
    const admission = decideAdmission(
      await measureDetector(analytics, offered, { half: 'admission', sets, known }),
    );
    if (admission.decision === 'refused') return { why: admission.why };
    const head = { ...parsed.data, status: admission.decision };
    const { sql } = offered;
    return { definition: sealDefinition({ kind: 'feature', head, sql }), admission };
  } catch (error) {
    if (error instanceof AnalyticsError && error.kind !== 'damaged') return { why: error.message };
    throw error;
  }
}

/** Its class is what the detectors before it do not find. */
export async function measureDetector(
  analytics: Analytics,
  detector: Pick<FeatureDefinition, 'sql'>,
  {
    half,
    sets,
    known,
  }: {
    readonly half: Half;
    readonly sets: readonly LabelledSet[];
    readonly known: readonly FeatureDefinition[];
  },
): Promise<DetectorTrial> {
  const marks = await openHalf(analytics, half, sets, known).marks([detector.sql]);
  const [cases, honest, hits] = [marks.cases, marks.honest, marks.predicates[0] ?? ''].map(bitsOf);
  if (cases === undefined || honest === undefined || hits === undefined) {
    throw new RangeError('marks of one predicate are three texts');
  }
  return {
    cases: sizeOf(cases),
    caught: overlap(hits, cases),
    honest: sizeOf(honest),
    falseAlarms: overlap(hits, honest),
  };
}
