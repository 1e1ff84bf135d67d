// Slots of one machine, taken by campaigns in turns: tickets in a database that every wrapper opens. No server and no
// parent decides, so the queue outlives workers; a ticket lives as long as its claim's lock is held.
//
// The n-th waiting job of a campaign is served n turns after the first one, and a turn is served in order of arrival:
// start-time fair queueing (Goyal, Vin, Cheng 1996) with jobs of one size. A campaign with many jobs delays only
// itself, and each other campaign overtakes a waiting job at most once per turn.
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { expectOurs, isHeld } from './claim-folder.ts';

const BUSY_MS_MAX = 10_000;
const rowsSchema = z.array(
  z.object({ id: z.int(), lock: z.string(), turn: z.int(), running: z.int() }),
);
const turnSchema = z.object({ turn: z.int().nullable() });

const TABLES = `
CREATE TABLE IF NOT EXISTS queue (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  lock TEXT NOT NULL,
  campaign TEXT NOT NULL,
  turn INTEGER NOT NULL,
  running INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS started (campaign TEXT PRIMARY KEY, turn INTEGER NOT NULL)`;

export interface Slots {
  readonly database: string;
  readonly count: number;
}

/** Adds the claim to the queue. Its lock must be held already. */
export function takeTicket(slots: Slots, lock: string, campaign: string): number {
  return withDatabase(slots.database, (database) => {
    const now = turnNow(liveTickets(database, slots.count));
    const ofCampaign = 'WHERE campaign = ?1';
    const { turn: last } = turnSchema.parse(
      database
        .prepare(
          `SELECT max(turn) AS turn FROM (
            SELECT turn FROM queue ${ofCampaign} UNION ALL SELECT turn FROM started ${ofCampaign})`,
        )
        .get(campaign),
    );
    // A campaign that was last served before the current turn has no debt.
    database.prepare('DELETE FROM started WHERE turn < ?').run(now);
    const turn = last === null ? now : Math.max(now, last + 1);
    const inserted = database
      .prepare('INSERT INTO queue (lock, campaign, turn) VALUES (?, ?, ?)')
      .run(lock, campaign, turn);
    return Number(inserted.lastInsertRowid);
  });
}

/** How many jobs must end or start before this ticket may run; 0 is permission to run, and is given once. */
export function jobsAhead(slots: Slots, ticket: number): number {
  return withDatabase(slots.database, (database) => {
    const live = liveTickets(database, slots.count);
    const waiting = live.filter(({ running }) => running === 0);
    const free = slots.count - (live.length - waiting.length);
    const position = waiting.findIndex(({ id }) => id === ticket);
    if (position < 0) return 0;
    if (position >= free) return position - free + 1;
    database.prepare('UPDATE queue SET running = 1 WHERE id = ?').run(ticket);
    database
      .prepare(
        'INSERT OR REPLACE INTO started (campaign, turn) SELECT campaign, turn FROM queue WHERE id = ?',
      )
      .run(ticket);
    return 0;
  });
}

/** How many jobs must end before a new last one in the queue may run. */
export function queueLength(slots: Slots): number {
  return withDatabase(slots.database, (database) =>
    Math.max(0, liveTickets(database, slots.count).length - slots.count + 1),
  );
}

export function returnTicket(slots: Slots, ticket: number): void {
  withDatabase(slots.database, (database) => remove(database, ticket));
}

/**
 * In the order in which they are served. Tickets of dead claims are removed only at the front: with some hundred
 * waiting jobs, checking every lock would cost the machine more than the jobs.
 */
function liveTickets(database: DatabaseSync, count: number): z.infer<typeof rowsSchema> {
  const rows = rowsSchema.parse(
    database.prepare('SELECT id, lock, turn, running FROM queue ORDER BY turn, id').all(),
  );
  let front = count;
  return rows.filter(({ id, lock, running }) => {
    if (running === 0 && front === 0) return true;
    const lives = isHeld(lock);
    if (!lives) remove(database, id);
    else if (running === 0) front--;
    return lives;
  });
}

/** The turn that is served now. A new campaign joins it, and gains nothing from its absence. */
function turnNow(live: z.infer<typeof rowsSchema>): number {
  const next = live.find(({ running }) => running === 0);
  return next?.turn ?? live.at(-1)?.turn ?? 0;
}

function remove(database: DatabaseSync, ticket: number): void {
  database.prepare('DELETE FROM queue WHERE id = ?').run(ticket);
}

function withDatabase<Result>(path: string, work: (database: DatabaseSync) => Result): Result {
  mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path, { timeout: BUSY_MS_MAX });
  try {
    // In a folder like /tmp another user can be quicker, and would then decide who may run.
    expectOurs(path);
    database.exec('BEGIN IMMEDIATE');
    database.exec(TABLES);
    const result = work(database);
    database.exec('COMMIT');
    return result;
  } finally {
    // Closing rolls back an open transaction.
    database.close();
  }
}
