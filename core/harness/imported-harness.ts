// What trajectories and logs of other trainers are read with.
import type { Harness } from '../schemas/harness.ts';
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
  const more = catalog.definitions.filter(
    ({ head, sha256 }) =>
      !known.has(sha256) &&
      domains.length > 0 &&
      domains.every((name) => holdsFor(head.domains, name)),
  );
  return {
    version: 1,
    domain,
    definitions: [...definitions, ...more].filter(
      ({ kind, head }) => kind !== 'rule' || domain.order.includes(head.name),
    ),
    operators: [],
  };
}
