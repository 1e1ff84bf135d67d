// A schedule starts campaigns; each start is a firing, and its campaign's name tells which.

/** Of a schedule: with the time of a firing behind it, it still is the name of a campaign. */
export const SCHEDULE_NAME = /^[a-z0-9][a-z0-9-]{0,46}$/;

/** `nightly-20261127-200000`, in UTC. */
export function firingName(schedule: string, at: Date): string {
  const [day = '', time = ''] = at.toISOString().replaceAll(/[-:]/g, '').slice(0, 15).split('T');
  return `${schedule}-${day}-${time}`;
}

/** A seed of its own for a firing: the file's, raised by the firing's seconds. */
export const firingSeed = (seed: number, at: Date): number =>
  seed + Math.floor(at.getTime() / 1000);
