// The example of docs/executors.md, as it stands there.
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
  executorCase((place, limits, pool, jobs) => {
    const { slots: _ours, ...options } = localOptions(place, limits, pool);
    return {
      type: 'exec',
      options: {
        ...options,
        variables: { ...options.variables, ...machines.variables },
        spotNotice: machines.spotNotice ?? null,
        program: [
          findTool('python') ?? 'python3',
          'docs/examples/executor-processes.py',
          join(place.root, `${jobs}-log`),
        ],
        cwd: FOLDER,
        folder: FOLDER,
        node: process.execPath,
        remoteJobsRoot: join(place.root, jobs),
        trainer: { ...FAKE, cwd: place.root },
        resources: { gpus: 0, memory_gb: null, hours: null },
        beatMs: 100,
        lookMs: 50,
      },
    };
  });
