// The example of docs/executors.md, unchanged.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findTool } from '../../infra/machine/tools.ts';
import { executorCase, FAKE, localOptions } from './executor-case.ts';
import type { ExecutorCase } from './executor-bench.ts';

interface Machines {
  readonly variables?: Readonly<Record<string, string>>;
  readonly spotNotice?: 'ec2';
}

const FOLDER = fileURLToPath(new URL('../..', import.meta.url));

/** `variables` and `spotNotice` are of the machines where jobs run. */
export const execCase = (machines: Machines = {}): Promise<ExecutorCase> =>
  executorCase((context, limits, pool, jobs) => {
    const { slots: _ours, ...options } = localOptions(context, limits, pool);
    return {
      type: 'exec',
      options: {
        ...options,
        variables: { ...options.variables, ...machines.variables },
        spotNotice: machines.spotNotice ?? null,
        program: [
          findTool('python') ?? 'python3',
          'docs/examples/executor-processes.py',
          join(context.root, `${jobs}-log`),
        ],
        cwd: FOLDER,
        folder: FOLDER,
        node: process.execPath,
        remoteJobsRoot: join(context.root, jobs),
        trainer: { ...FAKE, cwd: context.root },
        resources: { gpus: 0, memory_gb: null, hours: null },
        heartbeatMs: 100,
        statusAgeMsMax: 50,
      },
    };
  });
