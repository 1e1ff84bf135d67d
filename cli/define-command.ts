// A sub-command for citty that refuses unknown flags and names the nearest known one.
import { type ArgsDef, type CommandDef, type ParsedArgs, parseArgs } from 'citty';
import { type ExitCode, usageError } from './exit.ts';
import { nearest } from '../core/nearest.ts';

export interface EvoCommand<Args extends ArgsDef> {
  readonly name: string;
  readonly description: string;
  readonly args: Args;
  /** Accepts positional arguments beyond the declared ones. */
  readonly rest?: boolean;
  run(args: ParsedArgs<Args>, rawArgs: readonly string[]): Promise<ExitCode>;
}

export function evoCommand<const Args extends ArgsDef>(command: EvoCommand<Args>): CommandDef {
  const { name, description, args } = command;
  return {
    meta: { name: `evo ${name}`, description },
    args,
    run: async ({ rawArgs }) => {
      checkFlags(args, rawArgs);
      const parsed = parseArgs<Args>(rawArgs, args);
      const positionals = Object.values(args).filter((arg) => arg.type === 'positional').length;
      const extra = parsed._[positionals];
      if (!command.rest && extra !== undefined) {
        throw usageError(`evo ${name} does not accept "${extra}": see evo ${name} --help`);
      }
      return command.run(parsed, rawArgs);
    },
  };
}

function checkFlags(args: ArgsDef, rawArgs: readonly string[]): void {
  const named = Object.entries(args).filter(([, arg]) => arg.type !== 'positional');
  const known = [...named.flatMap(([name, arg]) => [name, ...aliases(arg)]), 'help'];
  for (const [index, raw] of rawArgs.entries()) {
    if (raw === '--') return;
    const flag = /^--?([a-zA-Z][\w-]*)/.exec(raw)?.[1];
    if (flag === undefined || known.includes(flag)) {
      needsValue(named, flag, raw, rawArgs[index + 1]);
      continue;
    }
    const meant = nearest(flag, known);
    throw usageError(`unknown flag ${raw}${meant ? `: did you mean --${meant}?` : ''}`);
  }
}

function needsValue(
  named: readonly [string, ArgsDef[string]][],
  flag: string | undefined,
  raw: string,
  next: string | undefined,
): void {
  const type = named.find(([name]) => name === flag)?.[1].type;
  if (type !== 'string' && type !== 'enum') return;
  if (raw.includes('=') || (next !== undefined && !next.startsWith('--'))) return;
  throw usageError(`${raw} needs a value`);
}

const aliases = (arg: ArgsDef[string]): string[] =>
  'alias' in arg && arg.alias ? [arg.alias].flat() : [];

/** All values of a flag that can be repeated. */
export function repeated(rawArgs: readonly string[], flag: string): string[] {
  return rawArgs.flatMap((raw, index) => {
    if (raw.startsWith(`--${flag}=`)) return [raw.slice(flag.length + 3)];
    return raw === `--${flag}` ? [rawArgs[index + 1] ?? ''] : [];
  });
}
