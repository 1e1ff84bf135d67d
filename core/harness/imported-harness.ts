// What trajectories and logs of other trainers are read with.
import type { Definition, FeatureDefinition, Harness } from '../schemas/harness.ts';
import { type Catalog, holdsFor } from './definition.ts';
import { initialHarness } from './initial-harness.ts';

/** The name under which harness/ keeps what holds for every foreign file. */
const IMPORTED = 'imported';

/**
 * A bundled domain's own harness where all rows are of it; else what holds for foreign files and for every domain among the
 * rows, with the order of foreign files, whose rules alone are asked.
 */
export function importedHarness(catalog: Catalog, domains: readonly string[]): Harness {
  const [only, ...others] = domains;
  const isBundled = catalog.domains.some(({ name }) => name === only && name !== IMPORTED);
  if (only !== undefined && others.length === 0 && isBundled) {
    return initialHarness(catalog, only, 'full');
  }
  const { domain, definitions } = initialHarness(catalog, IMPORTED, 'full');
  const known = new Set(definitions.map(({ sha256 }) => sha256));
  const more = catalog.definitions.flatMap((definition) => {
    if (known.has(definition.sha256)) return [];
    const held = domains.filter((name) => holdsFor(definition.head.domains, name));
    if (held.length === 0) return [];
    if (held.length === domains.length) return [definition];
    return isDetector(definition) ? [ofDomains(definition, held)] : [];
  });
  return {
    version: 1,
    domain,
    definitions: [...definitions, ...more].filter(
      ({ kind, head }) => kind !== 'rule' || domain.order.includes(head.name),
    ),
    operators: [],
  };
}

const isDetector = (definition: Definition): definition is FeatureDefinition =>
  definition.kind === 'feature' && definition.head.class !== null;

/** Where a file mixes domains, a detector looks at the rows of its own. */
const ofDomains = (detector: FeatureDefinition, domains: readonly string[]): FeatureDefinition => ({
  ...detector,
  sql: `CASE WHEN domain IN (${domains.map((name) => `'${name.replaceAll("'", "''")}'`).join(', ')}) THEN (${detector.sql}\n) END`,
});
