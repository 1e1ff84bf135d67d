// Slots of one machine: tickets in order, in a database that every wrapper opens. No server and no parent
// decides, so the queue outlives workers; a ticket lives as long as its claim's lock is held.
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { isHeld } from './claim-folder.ts';

const BUSY_MS_MAX = 10_000;
const ticketsSchema = z.array(z.object({ id: z.int(), lock: z.string() }));

export interface Slots {
  readonly database: string;
  readonly count: number;
}

/** Puts the claim at the end of the queue. Its lock must be held already. */
export function takeTicket(slots: Slots, lock: string): number {
  return withDatabase(slots.database, (database) => {
    const inserted = database.prepare('INSERT INTO tickets (lock) VALUES (?)').run(lock);
    return Number(inserted.lastInsertRowid);
  });
}

/** How many jobs must end before this ticket may run; 0 is leave to run. Tickets of the dead are thrown away. */
export function jobsAhead(slots: Slots, ticket: number): number {
  return withDatabase(slots.database, (database) => {
    const select = database.prepare('SELECT id, lock FROM tickets WHERE id < ? ORDER BY id');
    const before = ticketsSchema.parse(select.all(ticket));
    const dead = before.filter(({ lock }) => !isHeld(lock));
    for (const { id } of dead) returnTicketTo(database, id);
    return Math.max(0, before.length - dead.length - slots.count + 1);
  });
}

export function returnTicket(slots: Slots, ticket: number): void {
  withDatabase(slots.database, (database) => returnTicketTo(database, ticket));
}

function returnTicketTo(database: DatabaseSync, ticket: number): void {
  database.prepare('DELETE FROM tickets WHERE id = ?').run(ticket);
}

function withDatabase<Result>(path: string, work: (database: DatabaseSync) => Result): Result {
  mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path, { timeout: BUSY_MS_MAX });
  try {
    database.exec('BEGIN IMMEDIATE');
    database.exec(
      'CREATE TABLE IF NOT EXISTS tickets (id INTEGER PRIMARY KEY AUTOINCREMENT, lock TEXT NOT NULL)',
    );
    const result = work(database);
    database.exec('COMMIT');
    return result;
  } finally {
    // Closing rolls back what was not committed.
    database.close();
  }
}
