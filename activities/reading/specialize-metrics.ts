// Takes metrics by the parts of their set, and keeps those whose parts cannot have one value.
import { featuresOf, metricsOf } from '../../core/harness/definition.ts';
import {
  metricOfPart,
  PARTS_MAX,
  partsApart,
  type Split,
  SPLITS,
} from '../../core/harness/specialise.ts';
import type { Harness, MetricDefinition } from '../../core/schemas/harness.ts';
import type { HarnessChange } from '../../core/schemas/revision.ts';
import type { Applied, RevisionContext } from '../revising/revision-context.ts';
import { openHalf } from '../revising/labeled-sample.ts';
import type { Revision } from '../ports/researcher.ts';
import { readHealth } from './read-health.ts';
import { sealDefinition } from '../revising/with-digest.ts';

export type Specialisation = Extract<Revision, { axis: 'analyzer-specialisation' }>;

/** Fewer trajectories make a part that no interval can place. */
const PART_MIN = 30;

interface Look {
  readonly metric: string;
  readonly split: Split;
  readonly parts: readonly MetricDefinition[];
}

/** All parts are measured in one reading of the incumbent's sets. */
export async function specialiseMetrics(
  context: RevisionContext,
  harness: Harness,
  asked: readonly Specialisation[],
): Promise<Applied> {
  if (asked.length === 0) return { harness, changes: [] };
  const looks = await looksOf(context, harness, asked);
  const parts = looks.flatMap((look) => look.parts);
  const { values } = await readHealth(context.analytics, {
    harness: { ...harness, definitions: [...featuresOf(harness), ...parts] },
    generation: context.generation,
    sets: context.current,
    previous: [],
    lostCategories: [],
  });
  const kept: MetricDefinition[] = [];
  const changes = looks.map((look): HarnessChange => {
    const names = look.parts.map(({ head }) => head.name);
    const apart = partsApart(values.filter(({ name }) => names.includes(name)));
    const shared = { axis: 'analyzer-specialisation' as const, name: look.metric };
    if (apart === null) {
      const why = `its parts by ${look.split} do not differ`;
      return { ...shared, decision: 'refused', why, definitions: [] };
    }
    kept.push(...look.parts);
    const definitions = look.parts.map(({ sha256 }) => sha256);
    return { ...shared, decision: 'admitted', why: `by ${look.split}: ${apart}`, definitions };
  });
  if (kept.length === 0) return { harness, changes };
  return { harness: { ...harness, definitions: [...harness.definitions, ...kept] }, changes };
}

/** A metric that the harness does not have, or has by these parts already, has no parts. */
async function looksOf(
  { analytics, sets, generation }: RevisionContext,
  harness: Harness,
  asked: readonly Specialisation[],
): Promise<Look[]> {
  const limits = { trajectoriesMin: PART_MIN, valuesMax: PARTS_MAX };
  const lists = SPLITS.map((split) => `[${split}]`);
  const found =
    sets.length === 0 ? [] : await openHalf(analytics, 'all', sets, []).values(lists, limits);
  const known = new Set(harness.definitions.map(({ head }) => head.name));
  return asked.map(({ metric: name, split }) => {
    const metric = metricsOf(harness).find(({ head }) => head.name === name);
    const values = found[SPLITS.indexOf(split)] ?? [];
    const parts =
      metric === undefined
        ? []
        : values
            .toSorted()
            .map((value) => sealDefinition(metricOfPart(metric, split, value, generation)))
            .filter(({ head }) => !known.has(head.name));
    return { metric: name, split, parts };
  });
}
