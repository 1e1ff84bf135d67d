// A real S3 server for one machine: versitygw over a folder. `evo up --s3` and tests use it.
import { CreateBucketCommand, HeadBucketCommand, S3ServiceException } from '@aws-sdk/client-s3';
import type { S3Client } from '@aws-sdk/client-s3';
import { setTimeout as sleep } from 'node:timers/promises';
import { s3Client } from '../store/s3/s3-client.ts';
import type { S3Options } from '../store/s3/s3-options.ts';
import { toolPath } from '../machine/tools.ts';

const START_MS_MAX = 20_000;
const POLL_MS = 50;

export interface S3ServerOptions {
  /** Holds the buckets as folders. */
  readonly directory: string;
  readonly port: number;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly host?: string;
}

/** The server's command line. A test starts it as a child, the supervisor in a session of its own. */
export function s3ServerCommand(options: S3ServerOptions): {
  command: string;
  args: string[];
  env: Record<string, string>;
} {
  return {
    command: toolPath('versitygw'),
    args: ['--port', `${options.host ?? '127.0.0.1'}:${options.port}`, 'posix', options.directory],
    env: { ROOT_ACCESS_KEY: options.accessKeyId, ROOT_SECRET_KEY: options.secretAccessKey },
  };
}

/** The options with which a store reaches the server. */
export function s3ServerAccess(options: S3ServerOptions): S3Options {
  const { host = '127.0.0.1', port, accessKeyId, secretAccessKey } = options;
  return { endpoint: `http://${host}:${port}`, region: 'us-east-1', accessKeyId, secretAccessKey };
}

/** Waits until the server answers, then creates missing buckets. Throws if it does not answer in time. */
export async function prepareS3Server(
  options: S3ServerOptions,
  buckets: readonly string[],
): Promise<void> {
  const client = s3Client(s3ServerAccess(options));
  try {
    const [first = 'probe', ...rest] = buckets;
    await eventually(() => createBucket(client, first));
    for (const bucket of rest) await createBucket(client, bucket);
  } finally {
    client.destroy();
  }
}

async function createBucket(client: S3Client, bucket: string): Promise<void> {
  try {
    await client.send(new HeadBucketCommand({ Bucket: bucket }));
  } catch (error) {
    const missing = error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404;
    if (!missing) throw error;
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
  }
}

async function eventually(attempt: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + START_MS_MAX;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await sleep(POLL_MS);
    }
  }
}
