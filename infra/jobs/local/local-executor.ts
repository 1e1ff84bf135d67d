// Runs jobs as processes of this machine, behind slots. Nothing of a job hangs on the process that submitted it.
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Executor, JobObservation, JobRequest } from '../../../activities/ports/executor.ts';
import type { Store } from '../../../activities/ports/store.ts';
import { decideClaim } from '../../../core/claims.ts';
import type { ClaimDecision } from '../../../core/claims.ts';
import { heartbeatSchema } from '../../../core/schemas/job.ts';
import { claimRequestSchema, claimStateSchema, HEAVY, isHeld, JobFolder } from '../claim-folder.ts';
import type { ClaimFolder, ClaimRequest } from '../claim-folder.ts';
import { ClaimRecords } from '../claim-records.ts';
import type { Slots } from '../slots.ts';
import { readJson, readText, writeJson } from '../small-file.ts';
import { waitForLock } from '../wait.ts';
import type { Launch, StoreAddress } from '../wrapper/launch.ts';
import { endTrainer, endWrapper } from './end-processes.ts';
import { makeClaimFolder, startWrapper } from './start-wrapper.ts';
import { trainerVariables, wrapperVariables } from './variables.ts';
import type { Variables } from './variables.ts';

export interface LocalExecutorOptions {
  /** On a disk of this machine; its locks mean nothing on a network's. */
  readonly jobsRoot: string;
  readonly slots: Slots;
  /** The open root, as this process reaches it. */
  readonly store: Store;
  /** How wrappers reach the roots; the sealed one is told to evaluate jobs alone. */
  readonly stores: { readonly open: StoreAddress; readonly sealed: StoreAddress };
  readonly trainer: {
    /** E.g. `[python, '-m', 'evotrainer']`; the job directory is added. */
    readonly command: readonly string[];
    readonly cwd: string;
    /** Added to the environment of every trainer, e.g. thread counts. */
    readonly variables?: Readonly<Record<string, string>>;
  };
  /** Told to evaluate jobs alone, as EVO_GATE_SECRET_FILE. */
  readonly gateSecretFile: string;
  /** The worker's environment; secrets and addresses are taken out before a child sees it. */
  readonly variables: Variables;
  readonly stallMs: number;
  readonly checkpointGraceMs?: number;
  readonly pollMs?: number;
}

const SUBMIT_LOCK_MS_MAX = 60_000;
const CHECKPOINT_GRACE_MS = 60_000;
const POLL_MS = 200;
/** What a wrapper may take beyond the grace of its trainer: the upload of a checkpoint. */
const CANCEL_MS_MAX = 30_000;

export class LocalExecutor implements Executor {
  readonly #options: LocalExecutorOptions;

  constructor(options: LocalExecutorOptions) {
    this.#options = options;
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
    const live = await this.#liveClaim(key);
    if (live) return this.#observeLive(live);
    const records = this.#records(key);
    const manifest = await records.step();
    if (manifest) return { state: 'done', outcome: { status: 'ok', manifest } };
    const past = await records.past();
    const last = past.at(-1);
    if (!last) return { state: 'lost', claim: 0, paused: false, why: 'it was never submitted' };
    const { claim, end } = last;
    const lost = { state: 'lost', claim, paused: end?.reason === 'paused' } as const;
    if (end?.reason === 'paused') return { ...lost, why: end.message };
    const decision = decideClaim(past, last.attempt);
    if (decision.kind === 'answer') return answered(decision);
    if (end === null && isHeld(this.#job(key).submitLock))
      return { state: 'queued', claim, ahead: 0 };
    return { ...lost, why: end?.message ?? (await this.#whyGone(key, claim)) };
  }

  async cancel(key: string, mode: 'checkpoint' | 'terminate'): Promise<void> {
    await this.#exclusively(key, async () => {
      const newest = await this.#job(key).newest();
      if (newest) await this.#endClaim(newest.folder, mode);
      const records = this.#records(key);
      if (await records.step()) return;
      const last = (await records.past()).at(-1);
      if (!last || last.end) return;
      const reason = mode === 'checkpoint' ? 'paused' : 'user_cancelled';
      await records.end(last.claim, { version: 1, reason, message: 'the job was cancelled' });
    });
  }

  async logs(key: string, linesMax: number): Promise<string[]> {
    const newest = await this.#job(key).newest();
    if (!newest) return [];
    const { folder } = newest;
    const request = await readJson(folder.request, claimRequestSchema);
    if (request === null || request.sealed) return [];
    const log = await readText(folder.trainerLog);
    return log === null ? [] : log.trimEnd().split('\n').slice(-linesMax);
  }

  /** Under the key's submit lock, so that a claim without a held lock is over and not just starting. */
  async #submitAlone(request: JobRequest, records: ClaimRecords): Promise<JobObservation> {
    const { key, attempt } = request;
    const live = await this.#liveClaim(key);
    if (live) return this.#observeLive(live);
    const finished = await records.step();
    if (finished) return { state: 'done', outcome: { status: 'ok', manifest: finished } };
    const past = await records.past();
    const decision = decideClaim(past, attempt);
    if (decision.kind === 'answer') return answered(decision);
    await this.#clearFolders(key, decision.claim);
    return this.#startClaim(request, records, decision);
  }

  async #startClaim(
    request: JobRequest,
    records: ClaimRecords,
    { claim, resume }: Extract<ClaimDecision, { kind: 'claim' }>,
  ): Promise<JobObservation> {
    const { key, campaign, step, attempt, inputs, job } = request;
    const version = 1 as const;
    const nonce = randomUUID();
    const made = { version, key, claim, campaign, step, attempt, nonce };
    if (!(await records.create({ ...made, executor: 'local', host: hostname() }))) {
      return this.observe(key);
    }
    const sealed = job.kind === 'evaluate';
    const folder = this.#job(key).claim(claim);
    const claimRequest: ClaimRequest = {
      version,
      key,
      claim,
      campaign,
      step,
      sealed,
      inputs: { ...inputs },
      resume: [...resume],
    };
    await makeClaimFolder(folder, claimRequest, job);
    // Halves the CPU time that a wrapper needs to start.
    const cache = { NODE_COMPILE_CACHE: join(this.#options.jobsRoot, '.compile-cache') };
    const variables = { ...wrapperVariables(this.#options.variables), ...cache };
    await startWrapper(folder, this.#launch(folder, sealed), variables);
    return this.#observeLive({ claim, folder });
  }

  #launch(folder: ClaimFolder, sealed: boolean): Launch {
    const { stores, slots, trainer, variables, gateSecretFile, stallMs } = this.#options;
    return {
      version: 1,
      folder: folder.path,
      open: stores.open,
      sealed: sealed ? stores.sealed : null,
      slots,
      trainer: {
        command: [...trainer.command],
        cwd: trainer.cwd,
        variables: {
          ...trainerVariables(variables),
          ...trainer.variables,
          ...(sealed ? { EVO_GATE_SECRET_FILE: gateSecretFile } : {}),
        },
      },
      limits: {
        stallMs,
        checkpointGraceMs: this.#options.checkpointGraceMs ?? CHECKPOINT_GRACE_MS,
        pollMs: this.#options.pollMs ?? POLL_MS,
      },
    };
  }

  /** Ends and lightens what earlier claims left; folders of a store that was emptied since are thrown away. */
  async #clearFolders(key: string, next: number): Promise<void> {
    const job = this.#job(key);
    for (const claim of await job.claims()) {
      const folder = job.claim(claim);
      await endTrainer(folder);
      const old = claim >= next ? [folder.path] : HEAVY.map((name) => join(folder.path, name));
      await Promise.all(old.map((path) => rm(path, { recursive: true, force: true })));
    }
  }

  async #endClaim(folder: ClaimFolder, mode: 'checkpoint' | 'terminate'): Promise<void> {
    const { checkpointGraceMs = CHECKPOINT_GRACE_MS } = this.#options;
    if (isHeld(folder.lock)) await writeJson(folder.cancel, { mode });
    await endWrapper(folder, (mode === 'checkpoint' ? checkpointGraceMs : 0) + CANCEL_MS_MAX);
    await endTrainer(folder);
  }

  async #liveClaim(key: string): Promise<{ claim: number; folder: ClaimFolder } | null> {
    const newest = await this.#job(key).newest();
    return newest && isHeld(newest.folder.lock) ? newest : null;
  }

  async #observeLive(live: { claim: number; folder: ClaimFolder }): Promise<JobObservation> {
    const { claim, folder } = live;
    const state = await readJson(folder.state, claimStateSchema);
    if (state === null || state.phase === 'queued') {
      return { state: 'queued', claim, ahead: state?.ahead ?? 0 };
    }
    // Shown, never decided on: one that cannot be read is none.
    const heartbeat = await readJson(folder.heartbeat, heartbeatSchema).catch(() => null);
    return { state: 'running', claim, heartbeat };
  }

  async #exclusively<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const path = this.#job(key).submitLock;
    const lock = await waitForLock(path, SUBMIT_LOCK_MS_MAX);
    if (lock === null)
      throw new Error(`somebody else has been busy with this job for a minute [${path}]`);
    try {
      return await work();
    } finally {
      lock.release();
    }
  }

  #records(key: string): ClaimRecords {
    return new ClaimRecords(this.#options.store, key);
  }

  /** A claim without an end: its wrapper was killed, ended by a mistake that its log tells, or is of another machine. */
  async #whyGone(key: string, claim: number): Promise<string> {
    const { wrapper, wrapperLog } = this.#job(key).claim(claim);
    const log = await readText(wrapperLog);
    if (log === null) return 'its machine is gone, or is another one than this';
    const said = log.split('\n').find((line) => /^\w*Error\b/.test(line.trim()));
    const when = (await readText(wrapper)) === null ? 'could not start' : 'is gone';
    return `its process ${when}${said === undefined ? '' : ` (${said.trim()}) [${wrapperLog}]`}`;
  }

  #job(key: string): JobFolder {
    const { jobsRoot, stores } = this.#options;
    return new JobFolder(jobsRoot, key, `${stores.open.url} ${stores.sealed.url}`);
  }
}

function answered({ status, message }: Extract<ClaimDecision, { kind: 'answer' }>): JobObservation {
  return { state: 'done', outcome: { status, message } };
}
