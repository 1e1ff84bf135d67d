// Jobs without a process: each is done when it is submitted, with results derived from its key. For measurements of the
// orchestration over thousands of generations, for which real jobs would take months.
import type { Executor, JobObservation, JobRequest } from '../../../activities/ports/executor.ts';
import type { Stores } from '../../../activities/ports/store.ts';
import { storeKeys } from '../../../core/ids.ts';
import { stepManifestSchema } from '../../../core/schemas/artifact.ts';
import { syntheticOutputs } from './synthetic-results.ts';

/** Keeps no state: the step's manifest in the store is enough, so any worker can answer for any job. */
export class SyntheticExecutor implements Executor {
  readonly #stores: Stores;

  constructor(stores: Stores) {
    this.#stores = stores;
  }

  async submit(request: JobRequest): Promise<JobObservation> {
    const { key, step } = request;
    const { open } = this.#stores;
    const there = await open.readManifest(storeKeys.step(key));
    if (there !== null) return doneBy(there);
    const stored = syntheticOutputs(request).map(async ([name, text]) => {
      const root = name.startsWith('sealed/') ? this.#stores.sealed : open;
      return [name, await root.putBytes(new TextEncoder().encode(text))] as const;
    });
    const outputs = Object.fromEntries(await Promise.all(stored));
    const manifest = { version: 1 as const, key, step, outputs, summary: { reward_mean: 0.5 } };
    await open.createManifest(storeKeys.step(key), manifest);
    return { state: 'done', outcome: { status: 'ok', manifest } };
  }

  async observe(key: string): Promise<JobObservation> {
    const there = await this.#stores.open.readManifest(storeKeys.step(key));
    if (there !== null) return doneBy(there);
    return { state: 'lost', claim: 0, paused: false, why: 'it was never submitted' };
  }

  async cancel(): Promise<void> {}

  async logs(): Promise<string[]> {
    return [];
  }

  async list(): Promise<never[]> {
    return [];
  }

  async end(): Promise<void> {}
}

const doneBy = (manifest: unknown): JobObservation => ({
  state: 'done',
  outcome: { status: 'ok', manifest: stepManifestSchema.parse(manifest) },
});
