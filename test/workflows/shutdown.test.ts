// The real worker process, ended by SIGTERM while an activity waits for an answer that never arrives.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TASK_QUEUE, workflowIds } from '../../core/ids.ts';
import { campaignConfigSchema } from '../../core/schemas/campaign-config.ts';
import { HOST } from '../../infra/process/port-holder.ts';
import { type DevServer, startDevServer } from './dev-server.ts';

const WORKER = fileURLToPath(new URL('../../workers/worker.ts', import.meta.url));
/** Longer than the test's time limit. */
const SILENCE_MS = 600_000;

describe('a worker that gets SIGTERM', () => {
  let server: DevServer;
  let silent: Server;
  let worker: ChildProcess;
  let folder = '';
  let asked: Promise<unknown>;
  beforeAll(async () => {
    // A server of its own: the worker serves the queue that all real workers serve.
    server = await startDevServer();
    folder = await mkdtemp(join(tmpdir(), 'evo-shutdown-'));
    silent = createServer().listen(0, HOST);
    asked = once(silent, 'connection');
    await once(silent, 'listening');
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : null;
    worker = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', WORKER], {
      stdio: 'ignore',
      env: {
        ...process.env,
        EVO_STATE_DIR: folder,
        TEMPORAL_ADDRESS: server.address,
        AWS_ENDPOINT_URL_S3: `http://${HOST}:${port}`,
        AWS_ACCESS_KEY_ID: 'none',
        AWS_SECRET_ACCESS_KEY: 'none',
        EVO_S3_REQUEST_TIMEOUT_MS: String(SILENCE_MS),
      },
    });
  });
  afterAll(async () => {
    worker.kill('SIGKILL');
    silent.close();
    await server.close();
    await rm(folder, { recursive: true });
  });

  it('ends by itself, even while it waits for the store', async () => {
    const connection = await Connection.connect({ address: server.address });
    const client = new Client({ connection });
    const config = campaignConfigSchema.parse({
      name: 'silence',
      domain: 'math.chain',
      store: 's3://bucket/silence',
      recipe: { reward: { components: [{ feature: 'visible_pass', weight: 1 }] } },
    });
    await client.workflow.start('campaignWorkflow', {
      workflowId: workflowIds.campaign('silence'),
      taskQueue: TASK_QUEUE,
      args: [{ config, configDigest: 'a'.repeat(64) }],
    });
    await asked;
    const ended = once(worker, 'exit');
    worker.kill('SIGTERM');
    const [code, signal] = await ended;
    expect([typeof code, signal]).toEqual(['number', null]);
    await connection.close();
  });
});
