// A harness with definitions of the user's own in it.
import type { CampaignConfig } from '../schemas/campaign-config.ts';
import type { Definition, Harness } from '../schemas/harness.ts';
import { type Catalog, holdsFor } from './definition.ts';
import { initialHarness } from './initial-harness.ts';

/** Those that hold for any of `domains`. Own rules come last in the order: what the catalog names first stays first. */
export function withOwnDefinitions(
  harness: Harness,
  own: readonly Definition[],
  domains: readonly string[],
): Harness {
  const held = own.filter(
    ({ head }) => head.domains === null || domains.some((name) => holdsFor(head.domains, name)),
  );
  const rules = held.flatMap(({ kind, head }) => (kind === 'rule' ? [head.name] : []));
  return {
    ...harness,
    definitions: [...harness.definitions, ...held],
    domain: { ...harness.domain, order: [...harness.domain.order, ...rules] },
  };
}

/** What a campaign starts from; its own definitions stand in a scalar start too. */
export const campaignHarness = (
  catalog: Catalog,
  { domain, harness, definitions = [] }: Pick<CampaignConfig, 'domain' | 'harness' | 'definitions'>,
): Harness => withOwnDefinitions(initialHarness(catalog, domain, harness), definitions, [domain]);
