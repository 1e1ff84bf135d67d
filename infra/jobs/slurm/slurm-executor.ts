// Jobs of a Slurm cluster.
import type { Executor } from '../../../activities/ports/executor.ts';
import { ClaimExecutor } from '../claim-executor.ts';
import type { ClaimExecutorOptions } from '../claim-executor.ts';
import { SlurmCommands } from './slurm-commands.ts';
import type { SlurmPlace } from './slurm-commands.ts';
import { SlurmLauncher } from './slurm-launcher.ts';
import type { SlurmOptions } from './slurm-launcher.ts';

export interface SlurmExecutorOptions
  extends ClaimExecutorOptions, SlurmPlace, Omit<SlurmOptions, 'commands' | 'host' | 'lookMs'> {
  readonly lookMs?: number;
}

const LOOK_MS = 2_000;

export function slurmExecutor(options: SlurmExecutorOptions): Executor {
  const launcher = new SlurmLauncher({
    ...options,
    commands: new SlurmCommands(options),
    host: options.login?.address ?? 'slurm',
    lookMs: options.lookMs ?? LOOK_MS,
  });
  return new ClaimExecutor(launcher, options);
}
