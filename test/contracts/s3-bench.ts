// A real S3 server for one test file, on a folder and a port of its own, that can be killed and started again.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareS3Server, s3ServerCommand } from '../../infra/s3/server.ts';
import type { S3Options } from '../../infra/store/s3/s3-options.ts';
import { findTool } from '../../infra/machine/tools.ts';
import { freePort } from './free-port.ts';

export const s3Missing = findTool('versitygw')
  ? ''
  : ' (not run: versitygw is missing, run evo setup --s3)';

const BUCKETS = ['evo-open', 'evo-sealed'];

export interface S3Bench {
  readonly folder: string;
  readonly access: S3Options & { readonly endpoint: string };
  /** Sends SIGKILL: nothing more is written or answered. */
  kill(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

export interface S3BenchOptions {
  /** Of the buckets; default: in a folder of its own. */
  readonly directory?: string;
  /** Settings of versitygw beyond ours. */
  readonly variables?: Readonly<Record<string, string>>;
}

export async function s3Bench(more: S3BenchOptions = {}): Promise<S3Bench> {
  const folder = await mkdtemp(join(tmpdir(), 'evo-s3-'));
  const keys = { accessKeyId: 'evo-test', secretAccessKey: 'evo-test-secret' };
  const directory = more.directory ?? join(folder, 's3');
  const options = { directory, port: await freePort(), ...keys };
  await mkdir(directory, { recursive: true });
  let server: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    const { command, args, env } = s3ServerCommand(options);
    server = spawn(command, args, { env: { ...env, ...more.variables }, stdio: 'ignore' });
    await prepareS3Server(options, BUCKETS);
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  };
  await start();
  return {
    folder,
    access: { endpoint: `http://127.0.0.1:${options.port}`, region: 'us-east-1', ...keys },
    start,
    kill: async () => end('SIGKILL'),
    close: async () => {
      await end('SIGTERM');
      await rm(folder, { recursive: true });
    },
  };
}
