// Follows a campaign until it ends, it parks or the user detaches: a live view on a terminal, else lines, or JSON.
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../core/message-of.ts';
import { type Campaign, NoCampaignError } from '../campaign.ts';
import type { Connected } from '../connect.ts';
import { CommandError, EXIT, type ExitCode } from '../exit.ts';
import { Screen } from '../terminal/screen.ts';
import { styleFor } from '../terminal/style.ts';
import { drawSnapshot } from './draw.ts';
import { timedLine } from './event-line.ts';
import { eventsBetween } from './events.ts';
import { jobLine } from './job-line.ts';
import type { RunningJob, Snapshot } from '../../core/snapshot.ts';
import { observeCampaign } from './observe.ts';
import { eventIdentity, pastEvents, type TimedEvent } from './past-events.ts';
import { RecentLedger } from './recent-ledger.ts';
import { printJson, say } from '../terminal/printable.ts';
import { composeStores } from '../../workers/compose.ts';
import { rootsOf } from '../server-roots.ts';

const pollMs = 1000;
const progressEveryMs = 10_000;
/** How long server or worker may be unreachable, for example during a restart. */
const patienceMs = 120_000;

export interface FollowOptions {
  readonly json: boolean;
}

export interface Followed {
  readonly snapshot: Snapshot | null;
  readonly code: ExitCode;
  readonly detached: boolean;
}

interface Presenter {
  show(snapshot: Snapshot, events: readonly TimedEvent[], ledger: RecentLedger | null): void;
  waiting(why: string): void;
  close(): void;
}

export async function follow(
  connected: Connected,
  campaign: Campaign,
  { json }: FollowOptions,
): Promise<Followed> {
  const presenter = json
    ? jsonPresenter()
    : process.stdout.isTTY
      ? screenPresenter()
      : linePresenter();
  const detach = new AbortController();
  const onSignal = (): void => detach.abort();
  process.once('SIGINT', onSignal);
  process.once('SIGTERM', onSignal);
  const keys = json ? null : listenForQ(onSignal);
  try {
    return await watchLoop(connected, campaign, presenter, detach.signal);
  } finally {
    keys?.close();
    presenter.close();
    process.removeListener('SIGINT', onSignal);
    process.removeListener('SIGTERM', onSignal);
  }
}

async function watchLoop(
  connected: Connected,
  campaign: Campaign,
  presenter: Presenter,
  detach: AbortSignal,
): Promise<Followed> {
  let before: Snapshot | null = null;
  let silentSince: number | null = null;
  let ledger: RecentLedger | null = null;
  while (!detach.aborted) {
    try {
      const snapshot: Snapshot = await observeCampaign(connected.client, campaign);
      silentSince = null;
      ledger ??= await openLedger(connected, campaign.name);
      const changes = eventsBetween(before, snapshot);
      if (changes.length > 0) await ledger.refresh();
      const now = new Date().toISOString();
      const events = changes.map((event) => ({ at: now, event }));
      presenter.show(snapshot, before ? events : withPast(events, ledger), ledger);
      before = snapshot;
      if (!snapshot.isRunning) return { snapshot, code: codeOf(snapshot), detached: false };
      if (snapshot.view.phase === 'parked')
        return { snapshot, code: EXIT.refused, detached: false };
    } catch (error) {
      const gone = error instanceof CommandError && error.code !== EXIT.unreachable;
      const isNew = before === null && error instanceof NoCampaignError;
      silentSince ??= Date.now();
      if (gone || isNew || Date.now() - silentSince > patienceMs) throw error;
      presenter.waiting(messageOf(error));
    }
    await sleep(pollMs, undefined, { signal: detach }).catch(() => undefined);
  }
  return { snapshot: before, code: EXIT.ok, detached: true };
}

/** The archive may be out of reach of this machine; then the ledger stays empty. */
async function openLedger(connected: Connected, campaign: string): Promise<RecentLedger> {
  const { open } = composeStores(await rootsOf(connected, campaign), connected.environment);
  return new RecentLedger(open, campaign);
}

/** What the ledger tells, in its order and with its times, then what only the view knows, such as the open step. */
function withPast(events: readonly TimedEvent[], { records }: RecentLedger): TimedEvent[] {
  const past = pastEvents(records);
  const told = new Set(past.map(({ event }) => eventIdentity(event)));
  const [attached, ...rest] = events;
  const untold = rest.filter(({ event }) => !told.has(eventIdentity(event)));
  // Without a ledger nobody noted when these happened.
  const now = past.length > 0 ? untold : untold.map((one) => ({ ...one, at: null }));
  return [...(attached ? [attached] : []), ...past, ...now];
}

/** A terminal in raw mode passes Ctrl-C on as a character. */
function listenForQ(leave: () => void): { close(): void } | null {
  const { stdin, stdout } = process;
  if (!stdin.isTTY || !stdout.isTTY) return null;
  const onKey = (keys: Buffer): void => {
    if (/[qQ\u0003]/.test(keys.toString('utf8'))) leave();
  };
  stdin.setRawMode(true);
  stdin.on('data', onKey);
  stdin.resume();
  return {
    close: () => {
      stdin.setRawMode(false);
      stdin.removeListener('data', onKey);
      stdin.pause();
    },
  };
}

/** Finishing and being stopped are both success. */
function codeOf({ view }: Snapshot): ExitCode {
  return view.phase === 'finished' || view.phase === 'stopped' ? EXIT.ok : EXIT.failed;
}

function screenPresenter(): Presenter {
  const style = styleFor(process.stdout);
  const screen = new Screen(process.stdout);
  let drawn: string[] = [];
  return {
    show(snapshot, events, ledger) {
      const columns = process.stdout.columns ?? 80;
      const drawing = { columns, nowMs: Date.now(), moments: ledger?.moments ?? [] };
      drawn = snapshot.isRunning ? drawSnapshot(snapshot, style, drawing) : [];
      screen.update(
        events.map((event) => timedLine(event, style)),
        drawn,
      );
    },
    waiting: (why) => screen.update([], [...drawn, style.yellow(`waiting: ${why}`)]),
    close: () => screen.close(),
  };
}

function linePresenter(): Presenter {
  const style = styleFor(process.stdout);
  let progressAt = Date.now();
  let printed = '';
  return {
    show(snapshot, events) {
      for (const event of events) say(timedLine(event, style));
      const due = Date.now() - progressAt >= progressEveryMs;
      if (!due || snapshot.jobs.length === 0) return;
      progressAt = Date.now();
      for (const job of snapshot.jobs) say(jobLine(job, style));
    },
    waiting(why) {
      if (why !== printed) say(`waiting: ${(printed = why)}`);
    },
    close: () => undefined,
  };
}

function jsonPresenter(): Presenter {
  const print = (event: object, at: string | null = new Date().toISOString()): void =>
    printJson({ at, ...event });
  let jobsBefore = '';
  const showJobs = (jobs: readonly RunningJob[]): void => {
    const text = JSON.stringify(jobs);
    if (text !== jobsBefore && jobs.length > 0) print({ event: 'jobs', jobs });
    jobsBefore = text;
  };
  return {
    show(snapshot, events) {
      for (const { at, event } of events) print(event, at);
      showJobs(snapshot.jobs);
      if (!snapshot.isRunning) print({ event: 'ended', status: snapshot.view });
    },
    waiting: (why) => print({ event: 'waiting', why }),
    close: () => undefined,
  };
}
