// Finds the sub-command, and turns whatever ends it into a line and an exit code.
import { type CommandDef, parseArgs, renderUsage } from 'citty';
import { EnvironmentError, readEnvironment } from '../workers/config.ts';
import { NotUpError } from '../workers/supervise/not-up-error.ts';
import { CommandError, EXIT, type ExitCode } from './exit.ts';
import { nearest } from '../core/nearest.ts';
import { plain, styleFor } from './terminal/style.ts';
import { complain, say } from './terminal/printable.ts';

type Load = () => Promise<CommandDef>;
type Group = readonly [title: string, commands: Readonly<Record<string, readonly [string, Load]>>];

const groups: readonly Group[] = [
  [
    'Campaigns',
    {
      run: ['start a campaign from a YAML file, or attach to it', () => load('run')],
      demo: ['play configs/demo.yaml: what npm start does', () => load('demo')],
      schedule: ['start campaigns of a file at set times', () => load('schedule')],
      status: ['where a campaign is, what it waits for', () => load('status')],
      watch: ['follow a campaign live', () => load('watch')],
      logs: ['what the jobs of a campaign say, while they run and after', () => load('logs')],
      health: ['what is wrong with a training, of any trainer', () => load('health')],
      report: ['the report, as Markdown or one HTML page', () => load('report')],
      play: ['play a task yourself, as the policy would', () => load('play')],
      trajectories: ['query archived trajectories by SQL, or read one', () => load('trajectories')],
      verify: ['recompute chain, digests and verdicts', () => load('verify')],
    },
  ],
  [
    'Trajectories of others',
    {
      import: ['turn trajectories of other agents into a table', () => load('import')],
    },
  ],
  [
    'Controls',
    {
      pause: ['pause a campaign', () => load('pause')],
      resume: ['go on where pause stopped', () => load('resume')],
      inject: ['give an intervention of your own', () => load('inject')],
      retry: ['another attempt of the parked or open generation', () => load('retry')],
      skip: ['leave a parked generation undecided', () => load('skip')],
      stop: ['end after the open generation', () => load('stop')],
      abort: ['cancel everything now, keep the incumbent', () => load('abort')],
    },
  ],
  [
    'This machine',
    {
      up: ['bring up Temporal server, UI and worker', () => load('up')],
      down: ['stop worker, jobs and servers', () => load('down')],
      doctor: ['check what campaigns need here', () => load('doctor')],
      setup: ['install what is missing', () => load('setup')],
    },
  ],
];

type Name =
  | (
      | 'run'
      | 'demo'
      | 'schedule'
      | 'status'
      | 'watch'
      | 'logs'
      | 'health'
      | 'report'
      | 'play'
      | 'trajectories'
      | 'verify'
    )
  | 'import'
  | ('pause' | 'resume' | 'inject' | 'retry' | 'skip' | 'stop' | 'abort')
  | ('up' | 'down' | 'doctor' | 'setup');

const load = async (name: Name): Promise<CommandDef> => (await import(`./${name}.ts`)).command;

/** Runs `evo` with these arguments; never throws. */
export async function main(args: readonly string[]): Promise<ExitCode> {
  try {
    return await dispatch(args);
  } catch (error) {
    return failure(error);
  }
}

async function dispatch(args: readonly string[]): Promise<ExitCode> {
  const [name, ...rest] = args;
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    say(help());
    return EXIT.ok;
  }
  const loader = groups
    .flatMap(([, commands]) => Object.entries(commands))
    .find(([key]) => key === name);
  if (!loader) {
    const meant = nearest(
      name,
      groups.flatMap(([, commands]) => Object.keys(commands)),
    );
    throw new CommandError(
      EXIT.usage,
      `unknown command ${name}${meant ? `: did you mean evo ${meant}?` : ''}\nSee evo --help.`,
    );
  }
  const command = await loader[1][1]();
  // A command of commands tells of each by itself.
  const own = command.subCommands === undefined ? rest : rest.slice(0, 1);
  if (own.some((arg) => arg === '--help' || arg === '-h')) {
    const usage = await renderUsage(command);
    say(readEnvironment().color && process.stdout.isTTY ? usage : plain(usage));
    return EXIT.ok;
  }
  // citty's own runner would take any flag; ours names the wrong one.
  const context = { rawArgs: rest, args: parseArgs([], {}), cmd: command };
  const code: unknown = await command.run?.(context);
  return Object.values(EXIT).find((one) => one === code) ?? EXIT.ok;
}

function help(): string {
  const style = styleFor(process.stdout);
  const lines = groups.flatMap(([title, commands]) => [
    '',
    style.bold(title),
    ...Object.entries(commands).map(([name, [what]]) => `  ${name.padEnd(14)}${style.dim(what)}`),
  ]);
  return [
    'evo: evolves the training of a language model policy, as durable Temporal workflows.',
    ...lines,
    '',
    "evo COMMAND --help tells a command's arguments. All that read take --json (docs/cli.md).",
    'Exit codes: 0 ok, 1 failed or a problem found, 2 bad usage or config, 3 not reachable,',
    '4 campaign parked or message refused.',
  ].join('\n');
}

function failure(error: unknown): ExitCode {
  const { dim, red } = styleFor(process.stderr);
  const known = error instanceof CommandError || error instanceof NotUpError;
  if (known || error instanceof EnvironmentError) complain(red(error.message));
  else if (error instanceof Error && error.name === 'CLIError') complain(red(plain(error.message)));
  else {
    complain(red(error instanceof Error ? error.message : String(error)));
    if (error instanceof Error && error.stack) complain(dim(error.stack));
  }
  if (error instanceof CommandError) return error.code;
  if (error instanceof NotUpError) return EXIT.unreachable;
  const usage =
    error instanceof EnvironmentError || (error instanceof Error && error.name === 'CLIError');
  return usage ? EXIT.usage : EXIT.failed;
}
