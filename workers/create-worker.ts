// A Temporal worker of ours: which workflows, which activities, and how much of both at once.
import { Client } from '@temporalio/client';
import { type NativeConnection, Worker } from '@temporalio/worker';
import { createActivities } from '../activities/index.ts';
import type { PortsOf } from '../activities/ports/campaign-ports.ts';
import { TASK_QUEUE } from '../core/ids.ts';
import { ServerCampaigns } from '../infra/temporal/server-campaigns.ts';
import type { Environment } from './config.ts';
import { payloadConverterPath, workflowBundle } from './workflow-bundle.ts';

export async function createWorker(
  connection: NativeConnection,
  environment: Pick<Environment, 'temporal' | 'stickyTimeoutMs'>,
  portsOf: PortsOf,
): Promise<Worker> {
  const client = new Client({ connection, namespace: environment.temporal.namespace });
  return Worker.create({
    connection,
    namespace: environment.temporal.namespace,
    taskQueue: TASK_QUEUE,
    // It stands in every event; the default holds the hash of the bundle, a tenth of a generation's history.
    buildId: TASK_QUEUE,
    workflowBundle: await workflowBundle(),
    dataConverter: { payloadConverterPath },
    activities: createActivities(portsOf, new ServerCampaigns(client)),
    // A job holds one slot while it is awaited.
    maxConcurrentActivityTaskExecutions: 200,
    stickyQueueScheduleToStartTimeout: environment.stickyTimeoutMs,
    // First those that await jobs are told, and say where they are; then who does not listen is left behind.
    shutdownGraceTime: '1 second',
    shutdownForceTime: '8 seconds',
  });
}
