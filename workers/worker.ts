// The Temporal worker: runs workflows and activities of all campaigns of its namespace.
import { Client } from '@temporalio/client';
import { NativeConnection, Runtime } from '@temporalio/worker';
import { keepPoolAwake } from '../infra/process/keep-pool-awake.ts';
import { composeCampaigns } from './compose-campaigns.ts';
import { readEnvironment } from './config.ts';
import { createWorker } from './create-worker.ts';
import { keepReaper } from './keep-reaper.ts';
import { createLogger, temporalLogger } from './logger.ts';
import { keepSupervisor } from './supervise/ensure-supervisor.ts';

/** Less than `evo down` and the supervisor wait. */
const SHUTDOWN_MS_MAX = 12_000;

keepPoolAwake();
const environment = readEnvironment();
const logger = createLogger(environment.logLevel);
Runtime.install({
  logger: temporalLogger(logger),
  // Shutdown detaches from jobs. They keep running, and the next worker attaches to them.
  shutdownSignals: ['SIGINT', 'SIGTERM'],
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  // A query or store that does not answer must not delay the exit; the next worker repeats the request.
  process.once(signal, () => setTimeout(() => process.exit(1), SHUTDOWN_MS_MAX).unref());
}

const { address, apiKey } = environment.temporal;
const connection = await NativeConnection.connect({
  address: address ?? '127.0.0.1:7233',
  ...(apiKey === null ? {} : { apiKey, tls: true }),
});
const campaigns = await composeCampaigns(environment);
const worker = await createWorker(connection, environment, campaigns.portsOf);
const client = new Client({ connection, namespace: environment.temporal.namespace });
// Campaigns run without it too; only orphaned jobs are then not ended.
keepReaper(client, environment.reaperIntervalMs).catch((error: unknown) =>
  logger.warn(error, 'the schedule of the reaper could not be kept'),
);
const letSupervisorGo = keepSupervisor(environment);
try {
  await worker.run();
} finally {
  letSupervisorGo();
  await campaigns.close();
  await connection.close();
}
