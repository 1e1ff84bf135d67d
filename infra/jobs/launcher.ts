// What one kind of place that runs jobs must be able to do. Claims, adoption, fencing and outcomes are not its business:
// claim-executor.ts does those for all of them.
import type { ClaimStatus } from './claim-status.ts';
import type { Slots } from './slots.ts';
import type { Launch } from './wrapper/launch.ts';

/** What a claim is found by, wherever it runs: nothing else is remembered of it. */
export interface ClaimName {
  readonly key: string;
  readonly claim: number;
  /** Tells stores apart, since one key may be asked for in several. */
  readonly rootsId: string;
  /** Where it was launched, as its claim's manifest says. */
  readonly host: string;
}

/** Where the next claim shall run, and what its wrapper finds there. */
export interface LaunchSite {
  readonly host: string;
  /** Folder of jobs there. */
  readonly jobsRoot: string;
  /** Null where the place has a queue of its own. */
  readonly slots: Slots | null;
  readonly trainer: Launch['trainer'];
  /** The wrapper's standard output is what the place keeps as the job's log. */
  readonly mirrorsLog: boolean;
  /** Its machines may be taken back, and say so. */
  readonly spotNotice?: Launch['spotNotice'];
}

/** What the name of a living claim tells, wherever it lives. */
export interface ListedClaim {
  /** At least its first 32 digits. */
  readonly keyStart: string;
  readonly claim: number;
  readonly host: string;
}

export type EndMode = 'checkpoint' | 'terminate';

/**
 * Starts wrappers somewhere and looks after them.
 *
 * **Contract:** `launch` is told everything a wrapper needs, secrets included, and puts no secret on a command line or into
 * a log. A claim that was launched before is left as it is. `end` answers when nothing of the claim runs any more; after
 * `checkpoint` its wrapper had the grace to end by itself. `look` never throws: who does not answer is `unknown`. All others
 * throw ExecutorError; none of them retries.
 */
export interface Launcher {
  readonly name: string;
  /** Another machine: wrappers then report to the store, and files of this machine are not there. */
  readonly remote: boolean;
  /** Chooses where the next claim of a key runs. */
  site(key: string): Promise<LaunchSite>;
  launch(claim: ClaimName, launch: Launch): Promise<void>;
  observe(claim: ClaimName): Promise<ClaimStatus>;
  end(claim: ClaimName, mode: EndMode, graceMs: number): Promise<void>;
  /** Claims of a place that run or stand in a queue, whoever launched them. Hosts that do not answer add none. */
  list(rootsId: string): Promise<readonly ListedClaim[]>;
}
