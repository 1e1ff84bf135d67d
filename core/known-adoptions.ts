// What a decision on a recipe may use of the family's earlier ones.
import type { RegisteredAdoption } from './schemas/adoption.ts';
import type { SeedDifference, Spread } from './stats/seed-spread.ts';

type Asker = Pick<
  RegisteredAdoption,
  'test' | 'campaign' | 'gateSecretId' | 'generation' | 'change'
>;

export interface KnownBefore {
  readonly family: readonly Spread[];
  readonly before: readonly SeedDifference[];
}

/**
 * The spread of every decision that compared fresh seeds, and what such seeds showed of the same change in this campaign
 * without being adopted: what was adopted was chosen for its size. Another test of the same generation has the same
 * training seeds, so it is no further evidence.
 */
export function knownBefore(register: readonly RegisteredAdoption[], asker: Asker): KnownBefore {
  const isOwn = (one: RegisteredAdoption): boolean =>
    one.campaign === asker.campaign && one.gateSecretId === asker.gateSecretId;
  const others = register.filter(
    (one) =>
      one.test !== asker.test &&
      one.fresh !== null &&
      !(one.campaign === asker.campaign && one.generation === asker.generation),
  );
  return {
    family: others.map(({ spread }) => spread),
    before: others.flatMap((one) =>
      isOwn(one) && one.change === asker.change && one.verdict === 'keep' && one.fresh !== null
        ? [one.fresh]
        : [],
    ),
  };
}

/** What a campaign says that took the decision of the one that reserved the test. */
export function takenWhy(reservedBy: string, decision: RegisteredAdoption | undefined): string {
  if (decision === undefined)
    return `the recipe stays: campaign ${reservedBy}, whose test this is, has not decided on it`;
  return decision.verdict === 'adopt'
    ? `the recipe change is adopted, as campaign ${reservedBy} decided on this test`
    : `the recipe stays, as campaign ${reservedBy} decided on this test`;
}
