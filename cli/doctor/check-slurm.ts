// Whether Slurm could run the jobs of a campaign: its partition, what its nodes have, and what sbatch says.
import { ExecutorError } from '../../activities/ports/executor-error.ts';
import type { SlurmConfig } from '../../core/schemas/executor-slurm.ts';
import { composeSlurmCheck } from '../../workers/compose-slurm.ts';
import { type Check, failed, good, warning } from './check.ts';

const name = 'slurm';

export async function checkSlurm(
  executor: SlurmConfig,
  findFaults: typeof composeSlurmCheck = composeSlurmCheck,
): Promise<Check[]> {
  try {
    const faults = await findFaults(executor);
    if (faults.length > 0) {
      return faults.map(({ isPermanent, problem, cure }) =>
        (isPermanent ? failed : warning)(name, problem, cure),
      );
    }
    return [good(name, `${executor.partition ?? 'the default partition'} takes such jobs`)];
  } catch (error) {
    if (!(error instanceof ExecutorError)) throw error;
    return [failed(name, error.message, cureOf(executor, error))];
  }
}

function cureOf({ login }: SlurmConfig, { kind }: ExecutorError): string {
  if (login !== null) {
    return `try ssh ${login.address} sinfo by hand as the user of the worker`;
  }
  return kind === 'not-installed'
    ? 'install slurm-client, or set `login` to a host that has it'
    : 'try sinfo by hand as the user of the worker; SLURM_CONF says which cluster is asked';
}
