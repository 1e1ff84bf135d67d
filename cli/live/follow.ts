// Follows a campaign until it ends, it parks or the user detaches: a live view on a terminal, else lines, or JSON.
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../core/message-of.ts';
import { type Campaign, NoCampaignError } from '../campaign.ts';
import type { Connected } from '../connect.ts';
import { CommandError, EXIT, type ExitCode } from '../exit.ts';
import { Screen } from '../terminal/screen.ts';
import { styleFor } from '../terminal/style.ts';
import { drawSnapshot } from './draw.ts';
import { eventLine } from './event-line.ts';
import { type CampaignEvent, eventsBetween } from './events.ts';
import { jobLine } from './job-line.ts';
import type { RunningJob, Snapshot } from '../../core/snapshot.ts';
import { observeCampaign } from './observe.ts';
import { printJson, say } from '../terminal/printable.ts';

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
  show(snapshot: Snapshot, events: readonly CampaignEvent[]): void;
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
  try {
    return await watchLoop(connected, campaign, presenter, detach.signal);
  } finally {
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
  while (!detach.aborted) {
    try {
      const snapshot: Snapshot = await observeCampaign(connected.client, campaign);
      silentSince = null;
      presenter.show(snapshot, eventsBetween(before, snapshot));
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

/** Finishing and being stopped are both success. */
function codeOf({ view }: Snapshot): ExitCode {
  return view.phase === 'finished' || view.phase === 'stopped' ? EXIT.ok : EXIT.failed;
}

function screenPresenter(): Presenter {
  const style = styleFor(process.stdout);
  const screen = new Screen(process.stdout);
  let drawn: string[] = [];
  return {
    show(snapshot, events) {
      drawn = snapshot.isRunning ? drawSnapshot(snapshot, style) : [];
      screen.update(
        events.map((event) => eventLine(event, style)),
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
      for (const event of events) say(eventLine(event, style));
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
  const print = (event: object): void => printJson({ at: new Date().toISOString(), ...event });
  let jobsBefore = '';
  const showJobs = (jobs: readonly RunningJob[]): void => {
    const text = JSON.stringify(jobs);
    if (text !== jobsBefore && jobs.length > 0) print({ event: 'jobs', jobs });
    jobsBefore = text;
  };
  return {
    show(snapshot, events) {
      events.forEach(print);
      showJobs(snapshot.jobs);
      if (!snapshot.isRunning) print({ event: 'ended', status: snapshot.view });
    },
    waiting: (why) => print({ event: 'waiting', why }),
    close: () => undefined,
  };
}
