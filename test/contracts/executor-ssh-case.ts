// One host behind a real sshd. It is this machine, so that a test can look at its processes.
import { rm } from 'node:fs/promises';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SshExecutorOptions, SshHost } from '../../infra/jobs/ssh/ssh-executor.ts';
import type { ExecutorCase, ExecutorLimits } from './executor-bench.ts';
import { executorCase, FAKE, localOptions } from './executor-case.ts';
import type { CaseContext } from './executor-case.ts';
import { startSshServer } from './ssh-server.ts';
import type { SshServer } from './ssh-server.ts';

const FOLDER = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

export function sshOptions(
  context: CaseContext,
  hosts: readonly SshHost[],
  limits?: Partial<ExecutorLimits>,
): Omit<SshExecutorOptions, 'store'> {
  const { slots: _slots, trainer: _trainer, ...options } = localOptions(context, limits);
  return {
    ...options,
    hosts,
    resources: { gpus: 0, memory_gb: null, hours: null },
    heartbeatMs: 100,
    // Each question starts ssh, a shell and Node.
    statusAgeMsMax: 300,
  };
}

/** A host whose jobs are in `jobs` below the root of the context. */
export function sshHost(context: CaseContext, server: SshServer, jobs: string): SshHost {
  const { port, user, identityFile, knownHosts } = server;
  return {
    name: jobs,
    address: '127.0.0.1',
    port,
    user,
    identityFile,
    knownHosts,
    slots: { database: join(context.root, `${jobs}.slots`), count: 4, gpus: null },
    folder: FOLDER,
    jobsRoot: join(context.root, jobs),
    node: process.execPath,
    trainer: { ...FAKE, cwd: context.root },
  };
}

export async function sshCase(): Promise<ExecutorCase> {
  const folder = mkdtempSync(join(tmpdir(), 'evo-sshd-'));
  const server = await startSshServer(folder);
  const made = await executorCase((context, limits, pool = 'jobs', jobs) => {
    const count = limits?.slots ?? 4;
    const slots = { database: join(context.root, `${pool}.slots`), count, gpus: null };
    // The same host with other folders looks like another machine.
    const host = { ...sshHost(context, server, jobs), name: 'host', slots };
    return { type: 'ssh', options: sshOptions(context, [host], limits) };
  });
  const close = async (): Promise<void> => {
    await made.close();
    await server.kill();
    await rm(folder, { recursive: true });
  };
  return { ...made, close };
}
