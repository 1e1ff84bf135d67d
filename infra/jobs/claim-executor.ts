// The Executor over any launcher. What was tried and how it ended lies in the store; a launcher is asked for signs of life alone.
import { randomUUID } from 'node:crypto';
import { ExecutorError } from '../../activities/ports/executor-error.ts';
import type {
  Executor,
  JobObservation,
  JobRequest,
  LiveClaim,
} from '../../activities/ports/executor.ts';
import type { Store } from '../../activities/ports/store.ts';
import { decideClaim } from '../../core/claims.ts';
import type { ClaimDecision } from '../../core/claims.ts';
import type { ClaimEnd } from '../../core/schemas/claim.ts';
import { isHeld, JobFolder, placeOf } from './claim-folder.ts';
import { ClaimRecords, findLiving } from './claim-records.ts';
import type { ClaimName, EndMode, Launcher, Site } from './launcher.ts';
import { LogRecords } from './log-records.ts';
import { makeLaunch } from './make-launch.ts';
import { Pulses } from './liveness.ts';
import { isLive, type Seen } from './claim-status.ts';
import { waitForLock } from './wait-until.ts';
import type { Launch, StoreAddress } from './wrapper/launch.ts';

export interface ClaimExecutorOptions {
  /** Where submitters of this machine take turns; on a disk of it. */
  readonly jobsRoot: string;
  /** The open root, as this process reaches it. */
  readonly store: Store;
  /** How wrappers reach the roots; the sealed one is told to evaluate jobs alone. */
  readonly stores: { readonly open: StoreAddress; readonly sealed: StoreAddress };
  /** Told to evaluate jobs alone, as EVO_GATE_SECRET_FILE. */
  readonly gateSecretFile: string;
  readonly stallMs: number;
  readonly checkpointGraceMs?: number;
  readonly pollMs?: number;
  readonly beatMs?: number;
}

const SUBMIT_LOCK_MS_MAX = 60_000;
const CHECKPOINT_GRACE_MS = 60_000;
const POLL_MS = 200;
const BEAT_MS_MAX = 30_000;
/** A machine that says a job runs may still fetch its image. */
const START_MS_MAX = 120_000;

export class ClaimExecutor implements Executor {
  readonly #launcher: Launcher;
  readonly #options: ClaimExecutorOptions;
  readonly #place: string;
  readonly #pulses: Pulses;
  /** The newest claim of each key that is not over, so that a live one is watched without the store. */
  readonly #known = new Map<string, ClaimName>();

  constructor(launcher: Launcher, options: ClaimExecutorOptions) {
    this.#launcher = launcher;
    this.#options = options;
    const { open, sealed } = options.stores;
    this.#place = placeOf({ open: open.url, sealed: sealed.url });
    this.#pulses = new Pulses(options.store, this.#beatMs / 2, options.stallMs);
  }

  async submit(request: JobRequest): Promise<JobObservation> {
    const sealedInput = Object.values(request.inputs).some(({ ref }) => ref.root === 'sealed');
    if (sealedInput && request.job.kind !== 'evaluate') {
      throw new TypeError(`a ${request.job.kind} job was given an input of the sealed root`);
    }
    const records = this.#records(request.key);
    const finished = await records.step();
    if (finished) return { state: 'done', outcome: { status: 'ok', manifest: finished } };
    return this.#exclusively(request.key, () => this.#submitAlone(request, records));
  }

  async observe(key: string): Promise<JobObservation> {
    const claim = this.#known.get(key) ?? (await this.#newest(key));
    const seen = claim && (await this.#look(claim));
    if (claim && seen && isLive(seen)) return { ...seen, claim: claim.claim };
    // Read after the look: whoever is gone has written what there was to say.
    const records = this.#records(key);
    const manifest = await records.step();
    if (!seen || seen.state === 'gone') this.#known.delete(key);
    if (manifest) return { state: 'done', outcome: { status: 'ok', manifest } };
    const past = await records.past();
    const last = past.at(-1);
    if (!last) return { state: 'lost', claim: 0, paused: false, why: 'it was never submitted' };
    if (!claim || !seen || last.claim > claim.claim) {
      // Another worker made a newer one meanwhile.
      this.#known.delete(key);
      return this.observe(key);
    }
    const { end } = last;
    if (end === null && seen.state === 'unknown') {
      return { state: 'running', claim: last.claim, heartbeat: seen.heartbeat };
    }
    const lost = { state: 'lost', claim: last.claim, paused: end?.reason === 'paused' } as const;
    if (end?.reason === 'paused') return { ...lost, why: end.message };
    const decision = decideClaim(past, last.attempt);
    if (decision.kind === 'answer') return answered(decision);
    if (end === null && isHeld(this.#submitLock(key))) {
      return { state: 'queued', claim: last.claim, ahead: 0 };
    }
    return { ...lost, why: end?.message ?? (seen.state === 'gone' ? seen.why : 'it is over') };
  }

  async cancel(key: string, mode: EndMode): Promise<void> {
    await this.#exclusively(key, async () => {
      const claim = await this.#newest(key);
      if (claim === null) return;
      const records = this.#records(key);
      // Reaches a wrapper that this worker cannot reach, and tells one that is sent a signal why.
      if (!(await records.step())) await records.askToEnd(claim.claim, mode);
      await this.#end(claim, mode);
      if (await records.step()) return;
      const reason = mode === 'checkpoint' ? 'paused' : 'user_cancelled';
      // Where the wrapper wrote one, this comes second and changes nothing.
      await records.end(claim.claim, { version: 1, reason, message: 'the job was cancelled' });
    });
  }

  async logs(key: string, linesMax: number): Promise<string[]> {
    const claim = await this.#newest(key);
    if (claim === null) return [];
    return new LogRecords(this.#options.store, key, claim.claim).lastLines(linesMax);
  }

  async list(): Promise<LiveClaim[]> {
    const listed = await this.#launcher.list(this.#place);
    const found = await Promise.all(listed.map((one) => findLiving(this.#options.store, one)));
    return found.filter((one) => one !== null);
  }

  async end({ key, claim, host }: LiveClaim): Promise<void> {
    await this.#exclusively(key, async () => {
      const records = this.#records(key);
      await records.askToEnd(claim, 'terminate');
      await this.#end({ key, claim, host, place: this.#place }, 'terminate');
      if (await records.step()) return;
      const message = 'nobody waited for it any more';
      await records.end(claim, { version: 1, reason: 'user_cancelled', message });
    });
  }

  /** Under the key's submit lock, so that a claim that shows no life is over and not just starting. */
  async #submitAlone(request: JobRequest, records: ClaimRecords): Promise<JobObservation> {
    const { key, attempt } = request;
    const claim = await this.#newest(key);
    const seen = claim && (await this.#look(claim));
    if (claim && seen && isLive(seen)) return { ...seen, claim: claim.claim };
    const finished = await records.step();
    if (finished) return { state: 'done', outcome: { status: 'ok', manifest: finished } };
    const past = await records.past();
    if (claim && seen?.state === 'unknown' && past.at(-1)?.end === null) {
      return { state: 'running', claim: claim.claim, heartbeat: seen.heartbeat };
    }
    const decision = decideClaim(past, attempt);
    if (decision.kind === 'answer') return answered(decision);
    if (claim) await this.#fence(claim);
    return this.#startClaim(request, records, decision);
  }

  async #startClaim(
    request: JobRequest,
    records: ClaimRecords,
    decision: Extract<ClaimDecision, { kind: 'claim' }>,
  ): Promise<JobObservation> {
    const { key, campaign, step, attempt } = request;
    const { claim } = decision;
    const site = await this.#launcher.site(key);
    const made = { version: 1, key, claim, campaign, step, attempt, nonce: randomUUID() } as const;
    const { host } = site;
    await records.addTo(request);
    if (!(await records.create({ ...made, executor: this.#launcher.name, host }))) {
      return this.observe(key);
    }
    const name = { key, claim, place: this.#place, host };
    this.#known.set(key, name);
    const failed = await this.#launch(name, await this.#makeLaunch(request, decision, site));
    if (failed) {
      await records.end(claim, failed);
      return this.observe(key);
    }
    const seen = await this.#look(name);
    if (isLive(seen)) return { ...seen, claim };
    return { state: 'queued', claim, ahead: 0 };
  }

  /** Null where it was launched. Who did not answer may have launched it: that is for the next look to say. */
  async #launch(name: ClaimName, launch: Launch): Promise<ClaimEnd | null> {
    try {
      await this.#launcher.launch(name, launch);
      return null;
    } catch (error) {
      if (!(error instanceof ExecutorError) || error.kind === 'unreachable') throw error;
      const reason = error.kind === 'refused' ? 'refused' : 'env_failure';
      return { version: 1, reason, message: error.message };
    }
  }

  #makeLaunch(
    request: JobRequest,
    decision: Extract<ClaimDecision, { kind: 'claim' }>,
    site: Site,
  ): Promise<Launch> {
    const { stores, gateSecretFile, stallMs, pollMs = POLL_MS } = this.#options;
    const { remote } = this.#launcher;
    const beatMs = remote ? this.#beatMs : null;
    const limits = { stallMs, checkpointGraceMs: this.#graceMs, pollMs, beatMs };
    const place = this.#place;
    return makeLaunch({ request, decision, site, place, remote, stores, gateSecretFile, limits });
  }

  /** Whoever shows no life for the stall limit, neither there nor in the store, is gone: its wrapper has given up by then. */
  async #look(claim: ClaimName): Promise<Seen> {
    const seen = this.#pulses.judge(claim, await this.#launcher.look(claim));
    if (seen.state === 'refused') return this.#refuse(claim, seen.why);
    const isSure = seen.state === 'gone' || seen.state === 'queued';
    if (isSure || !this.#launcher.remote || (seen.state === 'running' && seen.heartbeat)) {
      this.#pulses.forget(claim);
      return seen.state === 'unknown' ? { ...seen, heartbeat: null } : seen;
    }
    const { silentMs, isBorn, heartbeat } = await this.#pulses.feel(claim);
    const limitMs = this.#options.stallMs + (isBorn ? 0 : START_MS_MAX);
    if (silentMs <= limitMs) return { ...seen, heartbeat };
    const how = seen.state === 'unknown' ? seen.why : `${claim.host} says that it runs`;
    const seconds = Math.round(silentMs / 1000);
    return { state: 'gone', why: `no sign of life in the store for ${seconds} s (${how})` };
  }

  /** What never starts is as one that nobody took. */
  async #refuse(claim: ClaimName, message: string): Promise<Seen> {
    const end = { version: 1, reason: 'refused', message } as const;
    await this.#records(claim.key).end(claim.claim, end);
    await this.#fence(claim);
    return { state: 'gone', why: message };
  }

  /** Throws while nobody can say whether it ended: it does so by itself within the stall limit. */
  async #end(claim: ClaimName, mode: EndMode): Promise<void> {
    try {
      await this.#launcher.end(claim, mode, this.#graceMs);
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      const last = (await this.#records(claim.key).past()).at(-1);
      const isOver = last !== undefined && (last.claim > claim.claim || last.end !== null);
      if (!isOver && (await this.#look(claim)).state !== 'gone') throw error;
    }
  }

  /** Nothing of an older claim runs beside a new one, as far as its host can be reached; the store fences the rest. */
  async #fence(claim: ClaimName): Promise<void> {
    try {
      await this.#launcher.end(claim, 'terminate', 0);
    } catch (error) {
      if (!isUnreachable(error)) throw error;
    }
  }

  async #newest(key: string): Promise<ClaimName | null> {
    const newest = await this.#records(key).newestClaim();
    if (newest === null) return null;
    const { claim, host } = newest;
    const name = { key, claim, host, place: this.#place };
    this.#known.set(key, name);
    return name;
  }

  async #exclusively<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const path = this.#submitLock(key);
    const lock = await waitForLock(path, SUBMIT_LOCK_MS_MAX);
    if (lock === null)
      throw new Error(`somebody else has been busy with this job for a minute [${path}]`);
    try {
      return await work();
    } finally {
      lock.release();
    }
  }

  #submitLock(key: string): string {
    return new JobFolder(this.#options.jobsRoot, key, this.#place).submitLock;
  }

  #records(key: string): ClaimRecords {
    return new ClaimRecords(this.#options.store, key);
  }

  get #graceMs(): number {
    return this.#options.checkpointGraceMs ?? CHECKPOINT_GRACE_MS;
  }

  get #beatMs(): number {
    return this.#options.beatMs ?? Math.min(BEAT_MS_MAX, this.#options.stallMs / 6);
  }
}

const isUnreachable = (error: unknown): boolean =>
  error instanceof ExecutorError && error.kind === 'unreachable';

function answered({ status, message }: Extract<ClaimDecision, { kind: 'answer' }>): JobObservation {
  return { state: 'done', outcome: { status, message } };
}
