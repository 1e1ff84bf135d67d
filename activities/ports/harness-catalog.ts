import type { Harness } from '../../core/schemas/harness.ts';

/** The definitions that a campaign starts from. `harness` throws RangeError for a domain it does not know. */
export interface HarnessCatalog {
  readonly digest: string;
  harness(mode: 'full' | 'scalar', domain: string): Harness;
}
