// What a look at a claim tells when the signs of life in the store are added to what its place says.
import type { JobHeartbeat } from '../../core/schemas/heartbeat.ts';
import type { Sighting } from './launcher.ts';

type Live = Extract<Sighting, { state: 'queued' | 'running' }>;
export type Seen =
  | Exclude<Sighting, { state: 'unknown' | 'refused' }>
  | (Extract<Sighting, { state: 'unknown' }> & { readonly heartbeat: JobHeartbeat | null });

export const isLive = (seen: Seen): seen is Live =>
  seen.state === 'queued' || seen.state === 'running';
