// Which offers of a generation's specialists are considered, and in which order.
import type { ResearcherConfig } from '../schemas/researcher-config.ts';
import { CATALOG } from './roster.ts';

/** Every specialist's first, then every second one: each gets one place before any gets two. */
export function inTurn<Offer>(submitted: readonly (readonly Offer[])[]): Offer[] {
  const longest = Math.max(0, ...submitted.map(({ length }) => length));
  return Array.from({ length: longest }, (_, index) =>
    submitted.flatMap((offers) => offers.slice(index, index + 1)),
  ).flat();
}

/** Without a researcher the catalog is the only one that proposes. */
export const asksCatalog = (researcher: ResearcherConfig | undefined): boolean =>
  researcher === undefined || researcher.specialists.includes(CATALOG);
