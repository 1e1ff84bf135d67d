// What a researcher offered becomes part of the harness, or is refused with the reason. Nothing offered is believed.
import { packageOf, ruleName, shareMetric, shareName } from '../../core/harness/answer-detector.ts';
import { featuresOf } from '../../core/harness/definition.ts';
import { withoutDetector } from '../../core/harness/retirement.ts';
import { applyProcedure } from '../../core/harness/procedure.ts';
import { recipeFeatures } from '../../core/harness/job-features.ts';
import type { Definition, Harness } from '../../core/schemas/harness.ts';
import type { HarnessChange } from '../../core/schemas/revision.ts';
import type { Revision } from '../ports/researcher.ts';
import type { Applied, RevisionContext } from './revision-context.ts';
import { sealDefinition } from './with-digest.ts';
import { type Specialisation, specialiseMetrics } from '../reading/specialize-metrics.ts';
import { tryRevision } from './try-revision.ts';

/** One after the other, each on the harness that those before it left; closer looks at the end, all at once. */
export async function applyRevisions(
  context: RevisionContext,
  harness: Harness,
  revisions: readonly Revision[],
): Promise<Applied> {
  let applied: Applied = { harness, changes: [] };
  const looks: Specialisation[] = [];
  for (const revision of revisions) {
    if (revision.axis === 'analyzer-specialisation') {
      looks.push(revision);
      continue;
    }
    const next = await applyOne(context, applied.harness, revision);
    applied = { harness: next.harness, changes: [...applied.changes, ...next.changes] };
  }
  const closer = await specialiseMetrics(context, applied.harness, looks);
  return { harness: closer.harness, changes: [...applied.changes, ...closer.changes] };
}

async function applyOne(
  context: RevisionContext,
  harness: Harness,
  revision: Exclude<Revision, Specialisation>,
): Promise<Applied> {
  switch (revision.axis) {
    case 'metric-expansion':
      return expand(context, harness, revision);
    case 'procedure-change': {
      const { procedure } = revision;
      const { rule: name } = procedure;
      const changed = applyProcedure(harness, procedure, context.operators);
      if ('why' in changed) return unchanged(harness, revision, name, changed.why);
      const what =
        procedure.kind === 'order'
          ? `${name} gives way to ${procedure.after}`
          : `${procedure.operators.join(', ')} may answer ${name}`;
      return changedBy(changed.harness, revision, name, 'changed', what, []);
    }
  }
}

/** Mined detectors that had too few cases stand trial anew, now that there are more: admitted, still waiting, or retired. */
export async function retryProvisional(
  context: RevisionContext,
  harness: Harness,
): Promise<Applied> {
  const waiting = featuresOf(harness).filter(
    ({ head }) =>
      head.status === 'provisional' &&
      !recipeFeatures(context.recipe).includes(head.name) &&
      harness.mined?.some(({ detector }) => detector === head.name) === true,
  );
  let applied: Applied = { harness, changes: [] };
  for (const detector of waiting) {
    const without = withoutDetector(applied.harness, detector.head.name);
    const { axis, why } = { axis: 'metric-expansion' as const, why: 'more cases are known' };
    const tried = await expand(context, without, { axis, detector, why });
    const [change] = tried.changes;
    if (change === undefined || change.decision === 'provisional') continue;
    const decision = change.decision === 'refused' ? 'retired' : change.decision;
    const changes = [...applied.changes, { ...change, axis: 'review' as const, decision }];
    applied = { harness: tried.harness, changes };
  }
  return applied;
}

/** A detector with its metric; an admitted one with its rule, first in the order, and the operators that answer it. */
async function expand(
  context: RevisionContext,
  harness: Harness,
  revision: Extract<Revision, { axis: 'metric-expansion' }>,
): Promise<Applied> {
  const { analytics, generation, sets, operators } = context;
  const name = nameOf(revision.detector.head);
  const tried = await tryRevision(analytics, revision.detector, harness, sets);
  if ('why' in tried) return unchanged(harness, revision, name, tried.why);
  const { definition, admission } = tried;
  const taken = [shareName(name), ruleName(name)].find((one) =>
    harness.definitions.some(({ head }) => head.name === one),
  );
  if (taken !== undefined) return unchanged(harness, revision, name, `the harness has ${taken}`);
  const { decision, why } = admission;
  const mined = [...(harness.mined ?? []), { detector: name, generation }];
  if (decision !== 'admitted') {
    const added = [definition, sealDefinition(shareMetric(definition, generation))];
    const next = { ...harness, mined, definitions: [...harness.definitions, ...added] };
    return changedBy(next, revision, name, 'provisional', why, added);
  }
  const brought = packageOf(definition, harness, operators, generation);
  const added = [definition, sealDefinition(brought.metric), sealDefinition(brought.rule)];
  const names = brought.operators.map((operator) => operator.name);
  const next = {
    ...harness,
    mined,
    domain: { ...harness.domain, order: [ruleName(name), ...harness.domain.order] },
    definitions: [...harness.definitions, ...added],
    operators: [
      ...harness.operators.filter((operator) => !names.includes(operator.name)),
      ...brought.operators,
    ],
  };
  return changedBy(next, revision, name, 'admitted', why, added);
}

const nameOf = (head: object): string => ('name' in head ? String(head.name) : 'without a name');

const unchanged = (harness: Harness, { axis }: Revision, name: string, why: string): Applied => ({
  harness,
  changes: [{ axis, name, decision: 'refused', why, definitions: [] }],
});

const changedBy = (
  harness: Harness,
  { axis }: Revision,
  name: string,
  decision: HarnessChange['decision'],
  why: string,
  added: readonly Definition[],
): Applied => ({
  harness,
  changes: [{ axis, name, decision, why, definitions: added.map(({ sha256 }) => sha256) }],
});
