// Signs of life that wrappers leave in the store, as numbered manifests. Only whether the number grows is looked at, by the
// observer's own clock: clocks of two machines are never compared.
import { z } from 'zod';
import type { Store } from '../../activities/ports/store.ts';
import { storeKeys } from '../../core/ids.ts';
import { type JobHeartbeat, heartbeatSchema } from '../../core/schemas/heartbeat.ts';
import type { ClaimName, Sighting } from './launcher.ts';

const beatSchema = z.strictObject({
  version: z.literal(1),
  heartbeat: heartbeatSchema.nullable(),
});

interface Felt {
  readonly silentMs: number;
  readonly isBorn: boolean;
  readonly heartbeat: JobHeartbeat | null;
}

type Gone = Extract<Sighting, { state: 'gone' }>;

interface Pulse {
  readonly newest: string | null;
  readonly changedAt: number;
  readonly askedAt: number;
  readonly heartbeat: JobHeartbeat | null;
}

export class Pulses {
  readonly #store: Store;
  readonly #askMs: number;
  readonly #stallMs: number;
  /** What the place itself shows of a wrapper. */
  readonly #shown = new Map<
    string,
    { readonly pulse: number | null; readonly changedAt: number }
  >();
  readonly #felt = new Map<string, Pulse>();

  /** Asks the store no more often than every `askMs`. */
  constructor(store: Store, askMs: number, stallMs: number) {
    this.#store = store;
    this.#askMs = askMs;
    this.#stallMs = stallMs;
  }

  /** Gone is whose wrapper holds its lock and has not moved for twice the stall limit: it was stopped, or hangs. */
  judge<Seen extends Sighting>(claim: ClaimName, seen: Seen): Seen | Gone {
    const name = nameOf(claim);
    const pulse = 'pulse' in seen ? (seen.pulse ?? null) : null;
    const now = performance.now();
    const before = this.#shown.get(name);
    if (pulse === null || before?.pulse !== pulse) {
      this.#shown.set(name, { pulse, changedAt: now });
      return seen;
    }
    const stillMs = now - before.changedAt;
    // What a wrapper notices by itself comes first.
    if (stillMs <= this.#stallMs * 2) return seen;
    const seconds = Math.round(stillMs / 1000);
    return { state: 'gone', why: `its wrapper lives and has not moved for ${seconds} s` };
  }

  /** How long no new sign of life came since the first call, whether there was any, and what the last one said. */
  async feel(claim: ClaimName): Promise<Felt> {
    const name = nameOf(claim);
    const before = this.#felt.get(name);
    const now = performance.now();
    const isFresh = before !== undefined && now - before.askedAt < this.#askMs;
    const pulse = isFresh ? before : await this.#ask(claim, before);
    this.#felt.set(name, pulse);
    const { newest, changedAt, heartbeat } = pulse;
    return { silentMs: now - changedAt, isBorn: newest !== null, heartbeat };
  }

  forget(claim: ClaimName): void {
    this.#felt.delete(nameOf(claim));
  }

  async #ask(claim: ClaimName, before: Pulse | undefined): Promise<Pulse> {
    const keys = await this.#store.listManifests(storeKeys.beats(claim.key, claim.claim));
    const now = performance.now();
    const newest = keys.at(-1) ?? null;
    if (before !== undefined && before.newest === newest) return { ...before, askedAt: now };
    const beat = newest === null ? null : await this.#store.readManifest(newest);
    const heartbeat = beat === null ? null : beatSchema.parse(beat).heartbeat;
    return { newest, changedAt: now, askedAt: now, heartbeat };
  }
}

const nameOf = ({ key, claim }: ClaimName): string => `${key}/${claim}`;
