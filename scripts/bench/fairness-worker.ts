// The worker of the fairness bench: real wrappers and slots, and a trainer that only pretends to train.
import { fileURLToPath } from 'node:url';
import { localExecutor } from '../../infra/jobs/local/local-executor.ts';
import { storeAddresses } from '../../workers/compose.ts';
import { workerVariables } from '../../workers/config.ts';
import { projectRoot, statePaths } from '../../workers/paths.ts';
import { runBenchWorker } from './bench-worker.ts';

const SLOTS = 4;
const TRAINER = new URL('../../infra/jobs/synthetic/synthetic-trainer.ts', import.meta.url);

await runBenchWorker(({ environment, stores, gateSecretFile }) => {
  const { jobs, slots } = statePaths(environment.stateDir);
  return localExecutor({
    jobsRoot: jobs,
    store: stores.open,
    stores: storeAddresses({ store: null, sealedStore: null }, environment),
    gateSecretFile,
    stallMs: 300_000,
    startupMs: 300_000,
    slots: { database: slots, count: SLOTS, gpus: null },
    variables: workerVariables(),
    trainer: {
      command: [process.execPath, '--disable-warning=ExperimentalWarning', fileURLToPath(TRAINER)],
      cwd: projectRoot,
      variables: { SYNTHETIC_JOB_MS: '400' },
    },
  });
});
