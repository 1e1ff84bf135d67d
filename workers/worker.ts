// The Temporal worker: runs workflows and activities of every campaign on this machine's queue.
import { fileURLToPath } from 'node:url';
import { NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { createActivities } from '../activities/index.ts';
import { composeCampaigns } from './compose-campaigns.ts';
import { readEnvironment } from './config.ts';
import { createLogger, temporalLogger } from './logger.ts';
import { keepSupervisor } from './supervise/ensure-supervisor.ts';
import { TASK_QUEUE } from '../core/ids.ts';

const environment = readEnvironment();
const logger = createLogger(environment.logLevel);
Runtime.install({
  logger: temporalLogger(logger),
  // Shutdown detaches from jobs; they run on by themselves and the next worker re-attaches.
  shutdownSignals: ['SIGINT', 'SIGTERM'],
});

const { address, apiKey } = environment.temporal;
const connection = await NativeConnection.connect({
  address: address ?? '127.0.0.1:7233',
  ...(apiKey === null ? {} : { apiKey, tls: true }),
});
const campaigns = await composeCampaigns(environment);
const worker = await Worker.create({
  connection,
  namespace: environment.temporal.namespace,
  taskQueue: TASK_QUEUE,
  // It stands in every event; the default holds the hash of the bundle, a tenth of a generation's history.
  buildId: TASK_QUEUE,
  workflowsPath: fileURLToPath(new URL('../workflows/index.ts', import.meta.url)),
  dataConverter: {
    payloadConverterPath: fileURLToPath(
      new URL('../workflows/payload-converter.ts', import.meta.url),
    ),
  },
  activities: createActivities(campaigns.portsOf),
  // A job holds one slot while it is awaited.
  maxConcurrentActivityTaskExecutions: 200,
  stickyQueueScheduleToStartTimeout: environment.stickyTimeoutMs,
  shutdownGraceTime: '1 second',
});
const letSupervisorGo = keepSupervisor(environment);
try {
  await worker.run();
} finally {
  letSupervisorGo();
  await campaigns.close();
  await connection.close();
}
