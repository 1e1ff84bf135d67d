// The worker of the soak: its jobs finish as soon as they are submitted.
import { SyntheticExecutor } from '../../infra/jobs/synthetic/synthetic-executor.ts';
import { runBenchWorker } from './bench-worker.ts';

await runBenchWorker(({ stores }) => new SyntheticExecutor(stores));
