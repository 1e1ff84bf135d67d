// Whether a store keeps its promises: of many writers of one key exactly one wins, and what is read is what was written.
import { randomUUID } from 'node:crypto';
import type { Store } from '../../activities/ports/store.ts';
import { type Check, failed, good, messageOf } from './check.ts';

const writers = 16;
const rounds = 4;

/** `open` makes a new adapter at each call, so that no two writers share anything in this process. */
export async function checkStore(name: string, url: string, open: () => Store): Promise<Check> {
  try {
    for (let round = 0; round < rounds; round += 1) {
      const problem = (await race(open)) ?? (await writeAndRead(open()));
      if (problem) {
        return failed(
          name,
          `${url}: ${problem}`,
          'use another store: results would not be safe here',
        );
      }
    }
    return good(name, `${url}: of ${writers} writers one wins, objects come back whole`);
  } catch (error) {
    return failed(name, `${url}: ${messageOf(error)}`, 'check address, credentials and rights');
  }
}

async function race(open: () => Store): Promise<string | null> {
  const key = `doctor/${randomUUID()}.json`;
  const results = await Promise.all(
    Array.from({ length: writers }, async (_, writer) => open().createManifest(key, { writer })),
  );
  const winners = results.flatMap(({ status }, writer) => (status === 'created' ? [writer] : []));
  const stored = JSON.stringify(await open().readManifest(key));
  if (winners.length !== 1) return `${winners.length} of ${writers} writers were told they had won`;
  return stored === JSON.stringify({ writer: winners[0] })
    ? null
    : 'the manifest holds what a loser wrote';
}

async function writeAndRead(store: Store): Promise<string | null> {
  const bytes = new TextEncoder().encode(`evo doctor ${randomUUID()}`);
  const ref = await store.putBytes(bytes);
  const read = await store.readBytes(ref);
  return Buffer.compare(bytes, read) === 0 ? null : 'an object came back different';
}
