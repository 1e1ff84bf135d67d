import type { HarnessCatalog } from '../../activities/ports/harness-catalog.ts';
import type { Catalog } from '../../core/harness/definition.ts';
import { initialHarness } from '../../core/harness/initial-harness.ts';
import type { Harness } from '../../core/schemas/harness.ts';
import { loadCatalog } from './load-catalog.ts';

/** The catalogue in harness/, read once. */
export class FileCatalog implements HarnessCatalog {
  readonly #catalog: Catalog;

  private constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  static async load(folder: string): Promise<FileCatalog> {
    return new FileCatalog(await loadCatalog(folder));
  }

  get digest(): string {
    return this.#catalog.digest;
  }

  harness(mode: 'full' | 'scalar', domain: string): Harness {
    return initialHarness(this.#catalog, domain, mode);
  }
}
