import { expect, it } from 'vitest';
import type { CampaignArchive } from '../../../cli/archive.ts';
import { storeKeys } from '../../../core/ids.ts';
import { MemoryStore } from '../../../infra/store/memory/memory-store.ts';
import { PlayedContext, signedIn } from '../ui-fixture.ts';

/** A store far away: what is below a prefix is listed only after `open`. */
class FarStore extends MemoryStore {
  readonly #opened = Promise.withResolvers<void>();
  readonly open = this.#opened.resolve;

  override async listManifests(prefix: string): Promise<string[]> {
    await this.#opened.promise;
    return super.listManifests(prefix);
  }
}

it('the page of a campaign is there before the times of its claims, and has them once they are read', async () => {
  const far = new FarStore('open');
  const key = 'a'.repeat(64);
  const job = { version: 1, key, generation: 1, step: 'train', summary: '4 steps', branch: 'b1' };
  await far.createManifest(storeKeys.campaignJob('demo', 1, 'train', key), job);
  const context = new PlayedContext();
  const near = await context.archive();
  const archive: CampaignArchive = { ...near, stores: { ...near.stores, open: far } };
  context.archive = async () => archive;
  const ask = await signedIn(context, context.app());
  const shown = async (): Promise<string> => (await ask('/c/demo/g/1/b1')).text();
  expect(await shown()).toMatch(/id="verdict"(?!.*id="time")/s);
  far.open();
  await expect.poll(shown).toContain('Time of b1, generation 1');
});
