// A Python environment exactly as its lock file has it. uv makes it; where uv is missing, pip brings it.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  findOnPath,
  hashFiles,
  isAtLeast,
  privateUv,
  pythonVersionMin,
  uvLock,
} from '../../../infra/machine/paths.mjs';
import { Prerequisite, runInstaller } from '../run-program.mjs';

/**
 * `size` is what the environment takes on disk, for people who wait for it.
 * @param {{ name: string, folder: string, size?: string }} project
 */
export function pythonProject({ name, folder, size }) {
  const venv = join(folder, '.venv');
  const python = join(venv, 'bin', 'python');
  const stamp = join(venv, '.evotrainer');
  const definition = join(folder, 'pyproject.toml');
  const key = () => hashFiles([definition, join(folder, 'uv.lock')], process.platform);
  return {
    name: size === undefined ? name : `${name} (${size})`,
    skip: () => (existsSync(definition) ? undefined : `no ${definition}`),
    isDone: () => existsSync(python) && existsSync(stamp) && readFileSync(stamp, 'utf8') === key(),
    /** @param {import('./go-tool.mjs').Report} report */
    async run(report) {
      const base = await findPython();
      const uv = await findUv(base, report);
      const wanted = key();
      rmSync(stamp, { force: true });
      const sync = (/** @type {string[]} */ ...more) =>
        runInstaller(uv, ['sync', '--frozen', '--project', folder, ...more], {
          env: { UV_PYTHON_DOWNLOADS: 'never', VIRTUAL_ENV: undefined },
          onLine: (line) => report(line.trim()),
        });
      // What builds a package may run any code. Only ours is built; the others come as wheels of the lock file.
      await sync('--python', base, '--no-build', '--no-install-project');
      // Compiled now, because every job would otherwise spend seconds on it.
      await sync('--python', python, '--compile-bytecode');
      writeFileSync(stamp, wanted);
    },
  };
}

export async function findPython() {
  const ask = 'import sys, venv, ensurepip; print("%d.%d.%d" % sys.version_info[:3])';
  for (const name of ['python3.13', 'python3.12', 'python3.11', 'python3']) {
    const found = findOnPath(name);
    if (!found) continue;
    const version = await runInstaller(found, ['-c', ask]).catch(() => '0');
    if (isAtLeast(version, pythonVersionMin)) return found;
  }
  const debian = process.platform === 'linux' ? ' (Debian: python3 python3-venv python3-pip)' : '';
  throw new Prerequisite(
    `Python ≥ ${pythonVersionMin} with venv and pip is missing: install it${debian}`,
  );
}

/** @param {string} python @param {import('./go-tool.mjs').Report} report */
export async function findUv(python, report) {
  return findOnPath('uv') ?? (existsSync(privateUv) ? privateUv : await fetchUv(python, report));
}

/** @param {string} python @param {import('./go-tool.mjs').Report} report */
async function fetchUv(python, report) {
  report('fetching uv');
  const place = dirname(dirname(privateUv));
  const half = `${place}.${process.pid}.tmp`;
  mkdirSync(dirname(place), { recursive: true });
  // An environment of its own, because Debian's pip refuses to install beside its packages.
  await runInstaller(python, ['-m', 'venv', half]);
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  const locked = ['--require-hashes', '--only-binary', ':all:', '-r', uvLock];
  await runInstaller(join(half, 'bin', 'python'), [...pip, ...locked]);
  // Another clone may have been quicker.
  if (existsSync(privateUv)) rmSync(half, { recursive: true, force: true });
  else renameSync(half, place);
  return privateUv;
}
