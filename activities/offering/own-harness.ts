// The harness with the features that interventions bring.
import { ownDefinition } from '../../core/research/own-feature.ts';
import type { Harness } from '../../core/schemas/harness.ts';
import type { Intervention } from '../../core/schemas/intervention.ts';
import { withDigest } from '../revising/with-digest.ts';

/** The same harness if none brings any. */
export function withOwnFeatures(
  harness: Harness,
  interventions: readonly Pick<Intervention, 'id' | 'features'>[],
): Harness {
  const own = interventions.flatMap(({ id, features = [] }) =>
    features.map((feature) =>
      withDigest(ownDefinition(feature, { id, domain: harness.domain.name })),
    ),
  );
  if (own.length === 0) return harness;
  return { ...harness, definitions: [...harness.definitions, ...own] };
}

/** Those whose branch was promoted or kept; the features of the others leave with them. */
export const staying = (
  interventions: readonly Intervention[],
  branches: readonly { readonly branch: string; readonly intervention: string | null }[],
  decided: readonly { readonly branch: string; readonly decision: string }[],
): Intervention[] =>
  interventions.filter(({ id }) => {
    const branch = branches.find(({ intervention }) => intervention === id)?.branch;
    const decision = decided.find((one) => one.branch === branch)?.decision;
    return decision === 'promote' || decision === 'keep';
  });
