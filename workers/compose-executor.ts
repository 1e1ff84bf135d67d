// From a campaign's `executor` to the Executor: where jobs run, and what they find there.
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import type { Executor } from '../activities/ports/executor.ts';
import type { CampaignScope } from '../core/generation.ts';
import type { ExecutorConfig } from '../core/schemas/executor-config.ts';
import { hostRefusals } from '../core/schemas/executor-ssh.ts';
import type { ClaimExecutorOptions } from '../infra/jobs/claim-executor.ts';
import { execExecutor } from '../infra/jobs/exec/exec-executor.ts';
import { localExecutor } from '../infra/jobs/local/local-executor.ts';
import { sshExecutor } from '../infra/jobs/ssh/ssh-executor.ts';
import type { SshHost } from '../infra/jobs/ssh/ssh-executor.ts';
import { composeBatch } from './compose-batch.ts';
import { composeSlurm } from './compose-slurm.ts';
import { ONE_THREAD, trainerCommand, trainerFolder, trainerIn } from './compose-trainer.ts';
import { storeAddresses } from './compose.ts';
import { type Environment, workerVariables } from './config.ts';
import { projectRoot, statePaths } from './paths.ts';

type Shared = Pick<ClaimExecutorOptions, 'store' | 'gateSecretFile'>;

export function composeExecutor(
  scope: CampaignScope,
  environment: Environment,
  shared: Shared,
): Executor {
  const { executor } = scope;
  const paths = statePaths(environment.stateDir);
  const options: ClaimExecutorOptions = {
    ...shared,
    jobsRoot: paths.jobs,
    stores: storeAddresses(scope, environment),
    stallMs: executor.stall_limit_s * 1000,
  };
  const variables = workerVariables();
  switch (executor.type) {
    case 'local':
      return localExecutor({
        ...options,
        variables,
        slots: { database: paths.slots, count: executor.slots ?? availableParallelism() },
        trainer: {
          command: trainerCommand('evotrainer'),
          cwd: trainerFolder,
          variables: ONE_THREAD,
        },
      });
    case 'exec': {
      const { program, folder, node, resources } = executor;
      return execExecutor({
        ...options,
        variables,
        program,
        cwd: projectRoot,
        folder,
        node,
        resources,
        remoteJobsRoot: executor.jobs_folder ?? join(folder, '.evo', 'jobs'),
        trainer: trainerIn(folder),
        spotNotice: executor.spot_notice,
      });
    }
    case 'ssh':
      return sshExecutor({
        ...options,
        variables,
        hosts: sshHosts(executor),
        resources: executor.resources,
        spotNotice: executor.spot_notice,
      });
    case 'slurm':
      return composeSlurm(executor, options);
    case 'aws-batch':
      return composeBatch(executor, options);
  }
}

/** Those that can give what a job asks for; the schema sees to it that there is one. */
function sshHosts(executor: Extract<ExecutorConfig, { type: 'ssh' }>): SshHost[] {
  const able = executor.hosts.filter((host) => hostRefusals(host, executor.resources).length === 0);
  return able.map((host) => {
    const jobsRoot = host.jobs_folder ?? join(host.folder, '.evo', 'jobs');
    return {
      name: host.name,
      address: host.address ?? host.name,
      port: host.port,
      user: host.user,
      identityFile: executor.identity_file,
      knownHosts: executor.known_hosts,
      // The one of campaigns that run there themselves.
      slots: { database: join(dirname(jobsRoot), 'slots.db'), count: host.slots },
      folder: host.folder,
      jobsRoot,
      node: host.node,
      trainer: trainerIn(host.folder),
    };
  });
}
