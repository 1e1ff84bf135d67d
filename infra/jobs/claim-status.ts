// The status of a claim: as a launcher observes it, and after it was checked against the heartbeats in the store.
import type { JobHeartbeat } from '../../core/schemas/heartbeat.ts';

/** `movedAtMs` changes while the wrapper lives, by the clock of its machine; null or absent where it cannot be known. */
export type ClaimStatus =
  /** `ahead`: how many jobs must end before this one starts, as far as it is known; `note`: what it waits for. */
  | {
      readonly state: 'queued';
      readonly ahead: number;
      readonly note?: string;
      readonly movedAtMs?: number | null;
    }
  | {
      readonly state: 'running';
      readonly heartbeat: JobHeartbeat | null;
      readonly movedAtMs?: number | null;
    }
  | { readonly state: 'gone'; readonly why: string }
  /** It waits in a queue that it will never leave; `why` has the cure. */
  | { readonly state: 'refused'; readonly why: string }
  /** The host or scheduler does not answer. */
  | { readonly state: 'unknown'; readonly why: string };

type LiveStatus = Extract<ClaimStatus, { state: 'queued' | 'running' }>;
export type CheckedStatus =
  | Exclude<ClaimStatus, { state: 'unknown' | 'refused' }>
  | (Extract<ClaimStatus, { state: 'unknown' }> & { readonly heartbeat: JobHeartbeat | null });

export const isLive = (status: CheckedStatus): status is LiveStatus =>
  status.state === 'queued' || status.state === 'running';
