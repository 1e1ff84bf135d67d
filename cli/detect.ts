import { access } from 'node:fs/promises';
import { type Detected, detectInFiles, detectInGroups } from '../workers/compose-detect.ts';
import { evoCommand } from './define-command.ts';
import { CommandError, EXIT, type ExitCode, usageError } from './exit.ts';
import { styleFor } from './terminal/style.ts';
import { complain, printJson, say } from './terminal/printable.ts';

export const command = evoCommand({
  name: 'detect',
  description: 'Tell which trajectories of other agents show a reward hack, and where.',
  args: {
    file: {
      type: 'positional',
      required: true,
      description: 'trajectories, a JSON object a line (docs/importing.md); several files',
    },
    groups: {
      type: 'boolean',
      description: 'the files hold populations, {id, before, after} a line, and not trajectories',
    },
    json: { type: 'boolean', description: 'print one JSON object a trajectory or population' },
  },
  rest: true,
  async run(args): Promise<ExitCode> {
    const files = args._;
    for (const file of files) {
      await access(file).catch(() => {
        throw usageError(`${file} cannot be read: no such file, or no right to it`);
      });
    }
    const detect = args.groups === true ? detectInGroups : detectInFiles;
    const found = await detect(files).catch((error: unknown) => {
      throw new CommandError(EXIT.failed, error instanceof Error ? error.message : String(error));
    });
    for (const problem of found.problems) complain(problem);
    const unlisted = found.refused - found.problems.length;
    if (unlisted > 0) complain(`and ${unlisted} more`);
    if (args.json === true) {
      for (const reading of found.readings) printJson(reading);
    } else printReadings(found, args.groups === true ? 'populations' : 'trajectories');
    return found.refused > 0 || found.readings.length === 0 ? EXIT.failed : EXIT.ok;
  },
});

function printReadings({ readings }: Detected, what: string): void {
  const { bold, dim, red } = styleFor(process.stdout);
  const hits = readings.filter(({ flags }) => flags.length > 0);
  for (const { id, flags, evidence } of hits) {
    say(`${bold(id)}  ${red(flags.join(' '))}`);
    for (const { flag, detector, message, excerpt } of evidence) {
      const place = message === null ? '' : `message ${message}: `;
      say(`  ${flag.padEnd(4)}${place}${excerpt.replaceAll(/\s+/g, ' ')}  ${dim(detector)}`);
    }
  }
  const counts = new Map<string, number>();
  for (const flag of hits.flatMap(({ flags }) => flags)) {
    counts.set(flag, (counts.get(flag) ?? 0) + 1);
  }
  const listed = [...counts].map(([flag, count]) => `${flag} ${count}`).join(', ');
  const sum = `${hits.length} of ${readings.length} ${what} flagged`;
  say(listed === '' ? sum : `${sum}: ${listed}`);
}
