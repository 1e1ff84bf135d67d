// Signs of life in the store, for observers who cannot see this machine.
import { setTimeout as sleep } from 'node:timers/promises';
import { isStoreError } from '../../../activities/ports/store-error.ts';
import { heartbeatSchema } from '../../../core/schemas/heartbeat.ts';
import type { ClaimRecords } from '../claim-records.ts';
import { readJson } from '../small-file.ts';
import type { ClaimRun } from './run-claim.ts';

export class Beats {
  readonly #stopping = new AbortController();
  readonly #stopped: Promise<void>;

  constructor(run: ClaimRun, records: ClaimRecords) {
    const { beatMs } = run.launch.limits;
    this.#stopped = beatMs === null ? Promise.resolve() : this.#beat(run, records, beatMs);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#stopped;
  }

  async #beat({ folder, request }: ClaimRun, records: ClaimRecords, beatMs: number): Promise<void> {
    const { signal } = this.#stopping;
    for (let number = 1; !signal.aborted; number++) {
      const heartbeat = await readJson(folder.heartbeat, heartbeatSchema).catch(() => null);
      try {
        await records.addBeat(request.claim, number, heartbeat);
      } catch (error) {
        // How long a store may be away is for whoever uploads to say.
        if (!isStoreError(error)) throw error;
      }
      await sleep(beatMs, undefined, { signal }).catch(() => {});
    }
  }
}
