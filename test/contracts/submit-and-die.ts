// A worker that is killed right after it submitted: what it started must go on.
import type { JobRequest } from '../../activities/ports/executor.ts';
import { localExecutor } from '../../infra/jobs/local/local-executor.ts';
import type { LocalExecutorOptions } from '../../infra/jobs/local/local-executor.ts';
import { openStore } from '../../infra/store/open-store.ts';

const { options, request } = JSON.parse(process.argv[2] ?? '') as {
  options: Omit<LocalExecutorOptions, 'store'>;
  request: JobRequest;
};
const store = openStore(options.stores.open.url, 'open');
await localExecutor({ ...options, store }).submit(request);
process.kill(process.pid, 'SIGKILL');
