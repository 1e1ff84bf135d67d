// Programs of the system that some tests run for real: an SSH server, Slurm, a sandbox, a browser. Only root on Debian gets them
// by itself; wherever they are missing, those tests are not run and say so.
import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findOnPath } from '../../../infra/machine/paths.mjs';
import { runInstaller } from '../run-program.mjs';

/** Each package by a program of it, and the services that it would start. */
const packages = [
  { name: 'openssh-server', program: 'sshd', services: ['ssh.service', 'ssh.socket'] },
  { name: 'slurmctld', program: 'slurmctld', services: ['slurmctld.service'] },
  { name: 'slurmd', program: 'slurmd', services: ['slurmd.service'] },
  { name: 'slurm-client', program: 'sbatch', services: [] },
  { name: 'munge', program: 'munged', services: ['munge.service'] },
  { name: 'iproute2', program: 'ip', services: [] },
  { name: 'bubblewrap', program: 'bwrap', services: [] },
  { name: 'chromium', program: 'chromium', services: [] },
];

const quick = ['-o', 'Acquire::Retries=1', '-o', 'Acquire::http::Timeout=20'];
const patient = ['-o', 'DPkg::Lock::Timeout=120'];
const env = { DEBIAN_FRONTEND: 'noninteractive' };

/** @typedef {{ daemons?: string[], policy?: string, systemd?: string }} Paths */

/** @param {Paths} [paths] */
export function systemPackages({
  // Daemons are not on everybody's PATH.
  daemons = ['/usr/sbin', '/sbin'],
  policy = '/usr/sbin/policy-rc.d',
  systemd = '/run/systemd/system',
} = {}) {
  const findMissing = () => packages.filter(({ program }) => !isThere(program, daemons));
  return {
    name: 'sshd, Slurm, a sandbox and a browser, for tests',
    isDone: () => findMissing().length === 0,
    skip: () => (findMissing().length === 0 ? undefined : cannotInstall()),
    /** @param {(detail: string) => void} report @returns {Promise<string | undefined>} */
    async run(report) {
      const missing = findMissing();
      const names = missing.map(({ name }) => name);
      try {
        await withoutServices(policy, () => install(names, report));
      } catch (error) {
        const why = error instanceof Error ? error.message.split('\n')[0] : String(error);
        return `not installed, the tests that need them are not run (${why}): ${names.join(', ')}`;
      }
      if (existsSync(systemd)) await disable(missing.flatMap(({ services }) => services));
      return undefined;
    },
  };
}

/** @param {string[]} names @param {(detail: string) => void} report */
async function install(names, report) {
  const args = ['install', '-y', '-q', '--no-install-recommends', ...quick, ...patient, ...names];
  report('installing');
  try {
    await runInstaller('apt-get', args, { env });
  } catch {
    report('fetching the lists of packages');
    await runInstaller('apt-get', ['update', '-q', ...quick, ...patient], { env });
    report('installing');
    await runInstaller('apt-get', args, { env });
  }
}

/**
 * Debian starts what it installs, unless a program of this name forbids it. @param {string} policy @param {() =>
 * Promise<void>} work
 */
async function withoutServices(policy, work) {
  const isOurs = !existsSync(policy);
  if (isOurs) {
    writeFileSync(policy, '#!/bin/sh\nexit 101\n');
    chmodSync(policy, 0o755);
  }
  try {
    await work();
  } finally {
    if (isOurs) rmSync(policy, { force: true });
  }
}

/** Nor shall they start with the machine. @param {string[]} services */
async function disable(services) {
  for (const service of services) {
    await runInstaller('systemctl', ['disable', '--quiet', service]).catch(() => undefined);
  }
}

/** @returns {string | undefined} */
function cannotInstall() {
  const isRoot = process.getuid?.() === 0;
  const isDebian = existsSync('/etc/debian_version') && findOnPath('apt-get') !== undefined;
  return isRoot && isDebian
    ? undefined
    : 'only root on Debian installs them; those tests are not run';
}

/** @param {string} program @param {string[]} more folders */
function isThere(program, more) {
  if (findOnPath(program)) return true;
  return more.some((folder) => existsSync(join(folder, program)));
}
