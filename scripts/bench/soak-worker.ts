// The worker of the soak, whose jobs are done as soon as they are submitted.
import { SyntheticExecutor } from '../../infra/jobs/synthetic/synthetic-executor.ts';
import { runBenchWorker } from './bench-worker.ts';

await runBenchWorker(({ stores }) => new SyntheticExecutor(stores));
