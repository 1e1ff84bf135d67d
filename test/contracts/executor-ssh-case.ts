// One host behind a real sshd. It is this machine, so that a test can look at its processes.
import { rm } from 'node:fs/promises';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SshExecutorOptions, SshHost } from '../../infra/jobs/ssh/ssh-executor.ts';
import type { ExecutorCase, ExecutorLimits } from './executor-bench.ts';
import { executorCase, FAKE, localOptions } from './executor-case.ts';
import type { CasePlace } from './executor-case.ts';
import { startSshServer } from './ssh-server.ts';
import type { SshServer } from './ssh-server.ts';

const FOLDER = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

export function sshOptions(
  place: CasePlace,
  hosts: readonly SshHost[],
  limits?: Partial<ExecutorLimits>,
): Omit<SshExecutorOptions, 'store'> {
  const { slots: _slots, trainer: _trainer, ...options } = localOptions(place, limits);
  return {
    ...options,
    hosts,
    resources: { gpus: 0, memory_gb: null, hours: null },
    beatMs: 100,
    lookMs: 50,
  };
}

/** A host whose jobs lie in `jobs` below the root of the place. */
export function sshHost(place: CasePlace, server: SshServer, jobs: string): SshHost {
  const { port, user, identityFile, knownHosts } = server;
  return {
    name: jobs,
    address: '127.0.0.1',
    port,
    user,
    identityFile,
    knownHosts,
    slots: { database: join(place.root, `${jobs}.slots`), count: 4 },
    folder: FOLDER,
    jobsRoot: join(place.root, jobs),
    node: process.execPath,
    trainer: { ...FAKE, cwd: place.root },
  };
}

export async function sshCase(): Promise<ExecutorCase> {
  const folder = mkdtempSync(join(tmpdir(), 'evo-sshd-'));
  const server = await startSshServer(folder);
  const made = await executorCase((place, limits, pool = 'jobs', jobs) => {
    const slots = { database: join(place.root, `${pool}.slots`), count: limits?.slots ?? 4 };
    // The same host with other folders is another machine, as far as anybody can see.
    const host = { ...sshHost(place, server, jobs), name: 'host', slots };
    return { type: 'ssh', options: sshOptions(place, [host], limits) };
  });
  const close = async (): Promise<void> => {
    await made.close();
    await server.kill();
    await rm(folder, { recursive: true });
  };
  return { ...made, close };
}
