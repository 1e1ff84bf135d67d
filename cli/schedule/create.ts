import { type Client, ScheduleAlreadyRunning } from '@temporalio/client';
import { firingName, SCHEDULE_NAME } from '../../core/firing.ts';
import { TASK_QUEUE, workflowIds } from '../../core/ids.ts';
import type { CampaignConfig } from '../../core/schemas/campaign-config.ts';
import { checkFeatures } from '../check-features.ts';
import { connect, type Connected } from '../connect.ts';
import { evoCommand, positionals, repeated } from '../define-command.ts';
import { CommandError, EXIT, usageError } from '../exit.ts';
import { loadConfig } from '../load-config.ts';
import { withHarnessFolder } from '../own-definitions.ts';
import { isOverlap, noteBy, OVERLAPS, type ScheduleMemo, uiOf } from './schedules.ts';
import { printJson, say } from '../terminal/printable.ts';

export const create = evoCommand({
  name: 'schedule create',
  description: 'Start a campaign of these files at set times; its name tells the time.',
  args: {
    name: { type: 'positional', required: true, description: 'name of the schedule' },
    config: { type: 'positional', required: true, description: 'campaign file; more may follow' },
    cron: { type: 'string', description: 'when, as in "0 20 * * 5"; may be given several times' },
    set: { type: 'string', description: 'override a key of the file, as in --set generations=4' },
    'time-zone': { type: 'string', default: 'UTC', description: 'as in Europe/Berlin' },
    overlap: {
      type: 'string',
      default: 'skip',
      description: `while a campaign of it is open: ${Object.keys(OVERLAPS).join(', ')}`,
    },
    'fresh-seed': { type: 'boolean', description: 'a seed of its own for each campaign' },
    jitter: { type: 'string', description: 'spread each start over so long, as in 10m' },
    'catch-up-window': {
      type: 'string',
      description: 'start late what was missed by less, as in 6h (default: a year)',
    },
    'pause-on-failure': { type: 'boolean', description: 'pause once a campaign has failed' },
    from: { type: 'string', description: 'not before, as in 2026-12-01 or 2026-12-01T08:00:00Z' },
    until: { type: 'string', description: 'not after' },
    note: { type: 'string', description: 'what it is for' },
    by: { type: 'string', description: 'who makes it (default: user@host)' },
    json: { type: 'boolean', description: 'print one JSON object' },
  },
  rest: true,
  async run(args, rawArgs) {
    const cron = repeated(rawArgs, 'cron');
    const { name, overlap } = args;
    if (cron.length === 0) throw usageError('say when: --cron "0 20 * * 5" is Fridays at 20:00');
    if (!SCHEDULE_NAME.test(name)) {
      throw usageError(
        `a schedule is named by lower-case letters, digits and hyphens, at most 47, not ${name}`,
      );
    }
    if (!isOverlap(overlap)) {
      throw usageError(`--overlap is one of ${Object.keys(OVERLAPS).join(', ')}, not ${overlap}`);
    }
    const files = positionals(args, rawArgs, 'set').slice(1);
    const config = await withHarnessFolder(
      loadConfig(files, [...repeated(rawArgs, 'set'), `name=${name}`]),
    );
    await checkFeatures(config);
    const spec = {
      cronExpressions: cron,
      timezone: args['time-zone'],
      ...when('startAt', '--from', args.from),
      ...when('endAt', '--until', args.until),
      ...span('jitter', '--jitter', args.jitter),
    };
    const policies = {
      overlap: OVERLAPS[overlap],
      pauseOnFailure: args['pause-on-failure'] === true,
      ...span('catchupWindow', '--catch-up-window', args['catch-up-window']),
    };
    const note = noteBy(args.by, args.note ?? `campaigns of ${files.join(' ')}`);
    const { domain } = config;
    const memo = { schedule: name, files, domain, cron, timeZone: args['time-zone'] };
    const connected = await connect({ bringUp: true });
    try {
      const asked = { config, freshSeed: args['fresh-seed'] === true, spec, policies, note, memo };
      const nextAt = await make(connected, asked);
      const ui = uiOf(connected, workflowIds.schedule(name));
      const first = nextAt && firingName(name, new Date(nextAt));
      if (args.json) printJson({ schedule: name, created: true, nextAt, ui });
      else {
        say(`schedule ${name} created${ui ? `  ${ui}` : ''}`);
        if (first) say(`Next: ${nextAt}, as campaign ${first}`);
      }
      return EXIT.ok;
    } finally {
      await connected.close();
    }
  },
});

interface Asked {
  readonly config: CampaignConfig;
  readonly freshSeed: boolean;
  readonly spec: Parameters<Client['schedule']['create']>[0]['spec'];
  readonly policies: NonNullable<Parameters<Client['schedule']['create']>[0]['policies']>;
  readonly note: string;
  readonly memo: ScheduleMemo;
}

/** The next time, null where there is none. */
async function make({ client }: Connected, asked: Asked): Promise<string | null> {
  const { config, freshSeed, spec, policies, note, memo } = asked;
  const { name, domain, generations } = config;
  try {
    const handle = await client.schedule.create({
      scheduleId: workflowIds.schedule(name),
      spec,
      policies,
      state: { note },
      memo: { ...memo },
      action: {
        type: 'startWorkflow',
        workflowType: 'scheduledCampaignWorkflow',
        workflowId: workflowIds.firing(name),
        taskQueue: TASK_QUEUE,
        args: [{ schedule: name, config, freshSeed }],
        memo: { schedule: name },
        staticSummary: `schedule ${name}: ${domain}, generations: ${generations}`,
      },
    });
    const { info } = await handle.describe();
    return info.nextActionTimes[0]?.toISOString() ?? null;
  } catch (error) {
    if (error instanceof ScheduleAlreadyRunning) {
      throw new CommandError(
        EXIT.refused,
        `there is a schedule ${name} already: evo schedule delete ${name}, or choose another name`,
      );
    }
    // What the client makes of an invalid argument.
    if (!(error instanceof TypeError)) throw error;
    throw usageError(`the server refuses the schedule: ${error.message}`);
  }
}

const UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

function span<Key extends string>(key: Key, flag: string, text: string | undefined) {
  if (text === undefined) return {};
  const [, count, unit = ''] = /^(\d+)([smhd])$/.exec(text) ?? [];
  const ms = Object.entries(UNITS).find(([name]) => name === unit)?.[1];
  if (ms === undefined) throw usageError(`${flag} ${text} is no duration: as in 30s, 10m, 6h, 2d`);
  return { [key]: Number(count) * ms };
}

function when<Key extends string>(key: Key, flag: string, text: string | undefined) {
  if (text === undefined) return {};
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) {
    throw usageError(`${flag} ${text} is no time: as in 2026-12-01 or 2026-12-01T08:00:00Z`);
  }
  return { [key]: at };
}
