import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { z } from 'zod';
import { folderOfClaim, newestFolder, processSchema } from '../../infra/jobs/claim-folder.ts';
import { LocalExecutor } from '../../infra/jobs/local/local-executor.ts';
import type { LocalExecutorOptions } from '../../infra/jobs/local/local-executor.ts';
import { readJson } from '../../infra/jobs/small-file.ts';
import { waitUntil } from '../../infra/jobs/wait.ts';
import { isAlive } from '../../infra/process/identity.ts';
import { openStore } from '../../infra/store/open-store.ts';
import type { ExecutorCase, ExecutorLimits } from './executor-bench.ts';
import { executorOutcomesContract } from './executor-outcomes.contract.ts';
import { executorContract } from './executor.contract.ts';

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

executorContract('this machine', localCase);
executorOutcomesContract('this machine', localCase);

async function localCase(): Promise<ExecutorCase> {
  const root = await mkdtemp(join(tmpdir(), 'evo-jobs-'));
  const jobsRoot = join(root, 'jobs');
  const url = (name: string): string => pathToFileURL(join(root, name)).href;
  const stores = {
    open: openStore(url('open-root'), 'open'),
    sealed: openStore(url('sealed-root'), 'sealed'),
  };
  const options = (
    limits: Partial<ExecutorLimits> = {},
    pool = 'jobs',
  ): Omit<LocalExecutorOptions, 'store'> => ({
    jobsRoot,
    slots: { database: join(root, `${pool}.slots`), count: limits.slots ?? 4 },
    stores: { open: { url: url('open-root') }, sealed: { url: url('sealed-root') } },
    trainer: { command: [process.execPath, here('fake-trainer.ts')], cwd: root },
    gateSecretFile: join(root, 'top-secret'),
    variables: {
      ...process.env,
      EVO_GATE_SECRET_FILE: '/top-secret',
      AWS_SECRET_ACCESS_KEY: 'top-secret',
      EVO_SEALED_AWS_SECRET_ACCESS_KEY: 'top-secret',
      LLM_API_KEY: 'top-secret',
    },
    stallMs: limits.stallMs ?? 60_000,
    checkpointGraceMs: limits.checkpointGraceMs ?? 20_000,
    pollMs: 40,
  });
  const newest = async (key: string) =>
    folderOfClaim(jobsRoot, key, await newestFolder(jobsRoot, key));
  const kill = async (file: string): Promise<void> => {
    const found = await readJson(file, processSchema);
    if (!found) throw new Error(`no process in ${file}`);
    process.kill(found.pid, 'SIGKILL');
    await waitUntil(() => !isAlive(found.pid, found.identity), 5_000);
  };
  const isRunning = async (file: string): Promise<boolean> => {
    const found = await readJson(file, processSchema);
    return found !== null && isAlive(found.pid, found.identity);
  };
  return {
    stores,
    executor: (limits, pool) => new LocalExecutor({ ...options(limits, pool), store: stores.open }),
    async submitAndDie(request) {
      const told = JSON.stringify({ options: options(), request });
      const child = spawn(process.execPath, [here('submit-and-die.ts'), told], {
        stdio: 'inherit',
      });
      const [, signal] = await once(child, 'exit');
      if (signal !== 'SIGKILL') throw new Error('the submitter did not get to its end');
    },
    killTrainer: async (key) => kill((await newest(key)).trainer),
    killWrapper: async (key) => kill((await newest(key)).wrapper),
    async running(key) {
      let count = 0;
      const claims = await newestFolder(jobsRoot, key);
      for (let claim = 1; claim <= claims; claim++) {
        const folder = folderOfClaim(jobsRoot, key, claim);
        for (const file of [folder.trainer, folder.wrapper]) {
          if (await isRunning(file)) count++;
        }
      }
      return count;
    },
    async environment(key) {
      const text = await readFile(join((await newest(key)).path, 'environment.json'), 'utf8');
      return z.record(z.string(), z.string()).parse(JSON.parse(text));
    },
    close: () => rm(root, { recursive: true }),
  };
}
