// Whether a store keeps its promises: of many writers of one key exactly one wins, a lost answer misleads nobody, and what is
// read is what was written.
import { randomBytes, randomUUID } from 'node:crypto';
import type { CreateResult } from '../../activities/ports/store.ts';
import { isStoreError } from '../../activities/ports/store-error.ts';
import type { StoreProbe } from '../../activities/ports/store-probe.ts';
import { type Check, failed, good, messageOf, warning } from './check.ts';

const writers = 24;
const rounds = 4;
/** Long enough that a server which looks first and writes later is caught at it. */
const paddingBytes = 32 * 1024;
const mib = 1024 * 1024;
/** More than one part of an upload to S3. */
const streamBytes = 9 * mib;
/** From here on the SDK corrects it; S3 refuses what is 15 minutes off. */
const clockMsMax = 4 * 60_000;

const notAtomic =
  'use another store or a newer version of its server: a key may be created once ' +
  '(If-None-Match: *), else results would be lost; never run a campaign on this one';
const notWhole = 'use another store or a newer version of its server; no object could be trusted';

/** One line where all is well, else one a fault; nothing more is asked of a store that is not atomic. */
export async function checkStore(name: string, probe: StoreProbe): Promise<Check[]> {
  const { url } = probe;
  try {
    const offsetMs = await probe.clockOffsetMs();
    const fault = (await race(probe)) ?? (await loseAnswers(probe));
    if (fault !== null) return [failed(name, `${url}: ${fault}`, notAtomic)];
    const checks = [
      ...checkClock(name, url, offsetMs),
      ...(await checkBytes(name, probe)),
      ...(await checkChecksum(name, probe)),
    ];
    return checks.length > 0 ? checks : [good(name, praise(url, offsetMs))];
  } catch (error) {
    const [problem, cure] = isStoreError(error)
      ? [error.problem, error.cure]
      : [messageOf(error), 'this is a mistake in the program'];
    return [failed(name, `${url}: ${problem}`, cure)];
  }
}

const praise = (url: string, offsetMs: number | null): string =>
  `${url}: of ${writers} writers one wins, a lost answer misleads nobody, ` +
  `${streamBytes / mib} MiB come back whole and in part` +
  (offsetMs === null ? '' : ', a wrong checksum is refused, the clocks agree');

async function race(probe: StoreProbe): Promise<string | null> {
  const stores = Array.from({ length: writers }, () => probe.open());
  for (let round = 0; round < rounds; round += 1) {
    const key = `doctor/${randomUUID()}.json`;
    const padding = 'x'.repeat(paddingBytes);
    const results = await Promise.all(
      stores.map(async (store, writer) => store.createManifest(key, { padding, writer })),
    );
    const problem = judge(results, writerOf(await probe.open().readManifest(key)));
    if (problem !== null) return problem;
  }
  return null;
}

function judge(results: readonly CreateResult[], stored: unknown): string | null {
  const winners = results.flatMap(({ status }, writer) => (status === 'created' ? [writer] : []));
  if (winners.length !== 1) {
    return `not atomic: ${winners.length} of ${writers} writers of one key were told they had won`;
  }
  if (stored !== winners[0]) return 'not atomic: the key holds what a loser wrote';
  const misled = results.some(
    (result) => result.status === 'exists' && writerOf(result.content) !== stored,
  );
  return misled ? 'not atomic: a loser was shown other bytes than those that won' : null;
}

const writerOf = (content: unknown): unknown =>
  typeof content === 'object' && content !== null && 'writer' in content ? content.writer : null;

/** The first create is ours although nobody said so; the second is not, although nobody said that either. */
async function loseAnswers(probe: StoreProbe): Promise<string | null> {
  const key = `doctor/${randomUUID()}.json`;
  const store = probe.openLosingAnswers();
  const first = await store.createManifest(key, { writer: 1 });
  if (first.status !== 'created')
    return 'after a lost answer the writer did not find its own bytes';
  const second = await store.createManifest(key, { writer: 2 });
  return second.status === 'exists' && writerOf(second.content) === 1
    ? null
    : 'not atomic: a key that existed was overwritten after a lost answer';
}

function checkClock(name: string, url: string, offsetMs: number | null): Check[] {
  if (offsetMs === null || Math.abs(offsetMs) < clockMsMax) return [];
  const minutes = Math.round(Math.abs(offsetMs) / 60_000);
  const side = offsetMs < 0 ? 'ahead of' : 'behind';
  const detail = `${url}: this machine's clock is ${minutes} minutes ${side} the store's`;
  return [
    failed(name, detail, 'set the clock that is wrong, best by NTP: timedatectl set-ntp true'),
  ];
}

async function checkBytes(name: string, probe: StoreProbe): Promise<Check[]> {
  const key = `doctor/${randomUUID()}.bin`;
  const bytes = randomBytes(streamBytes);
  if (!bytes.equals(await probe.roundTrip(key, bytes))) {
    return [
      failed(name, `${probe.url}: a stream of ${bytes.length} bytes came back different`, notWhole),
    ];
  }
  const [first, last] = [mib - 7, streamBytes - mib];
  const part = await probe.readRange(key, first, last);
  if (bytes.subarray(first, last + 1).equals(part)) return [];
  const detail = `bytes ${first} to ${last} came back different (${part.length} bytes)`;
  return [failed(name, `${probe.url}: ${detail}`, notWhole)];
}

async function checkChecksum(name: string, probe: StoreProbe): Promise<Check[]> {
  if ((await probe.refusesWrongChecksum(`doctor/${randomUUID()}.bin`)) !== false) return [];
  const detail = `${probe.url}: bytes with a wrong checksum were taken`;
  const cure =
    'none is needed: such bytes are found when they are read; a newer server refuses them';
  return [warning(name, detail, cure)];
}
