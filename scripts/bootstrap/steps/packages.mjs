// The npm packages of the lock file. They are installed beside and moved into place whole, so that
// neither a kill nor an npm that outlives a killed set-up leaves a half-made node_modules.
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import {
  findNode,
  findOnPath,
  hashFiles,
  nodeVersion,
  root,
  toolsDir,
} from '../../../infra/machine/paths.mjs';
import { Prerequisite, runInstaller } from '../run-program.mjs';
import { findUnlocked } from './unlocked.mjs';

const place = join(root, 'node_modules');
const stamp = join(place, '.evotrainer');

export function npm() {
  const found = findOnPath('npm');
  if (!found) throw new Prerequisite('npm is missing: install it (it comes with Node)');
  return found;
}

function key() {
  const major = nodeVersion.split('.')[0];
  return hashFiles(
    [join(root, 'package-lock.json')],
    `${process.platform}-${process.arch}-${major}`,
  );
}

export const packages = {
  name: 'packages',
  isDone: () => existsSync(stamp) && readFileSync(stamp, 'utf8') === key(),
  async run() {
    const program = npm();
    const half = join(toolsDir, `packages.${process.pid}.tmp`);
    mkdirSync(half, { recursive: true });
    for (const file of ['package.json', 'package-lock.json', '.npmrc']) {
      copyFileSync(join(root, file), join(half, file));
    }
    const wanted = key();
    // No package needs its install script: they hold their native code for each platform. Not `npm ci`,
    // which refuses a lock file made where some other platform's packages were not to be had.
    const flags = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
    const PATH = dirname(findNode() ?? process.execPath) + delimiter + process.env['PATH'];
    await runInstaller(program, ['install', ...flags], { cwd: half, env: { PATH } });
    const unlocked = findUnlocked(
      readJson(join(root, 'package-lock.json')),
      readJson(join(half, 'node_modules', '.package-lock.json')),
    );
    writeFileSync(join(half, 'node_modules', '.evotrainer'), wanted);
    if (existsSync(place)) renameSync(place, join(half, 'old'));
    renameSync(join(half, 'node_modules'), place);
    rmSync(half, { recursive: true, force: true });
    if (unlocked.length === 0) return undefined;
    return `installed, but package-lock.json has no hash of ${unlocked.join(', ')}`;
  },
};

/** @param {string} path @returns {import('./unlocked.mjs').Lock} */
const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));
