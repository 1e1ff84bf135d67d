// What `npm run check` and `npm test` look at before any test runs.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findNode, nodeFlags, root, trainerDir } from '../infra/machine/paths.mjs';

/**
 * @typedef {{ name: string, run: () => number, cure?: string }} Check
 * @type {Check[]}
 */
export const checks = [
  { name: 'format', run: () => runPackage('oxfmt', ['--check']), cure: 'npm run fix' },
  { name: 'lint', run: () => runPackage('oxlint', ['--type-aware']), cure: 'npm run fix' },
  { name: 'types', run: () => runPackage('tsc', ['--noEmit']) },
  { name: 'dead code', run: () => runPackage('knip', ['--no-progress']) },
];

/** One worker a core, where the default leaves a core to others. */
export const everyCore = ['--maxWorkers=100%'];

/** Runs a package's program with the Node that our code runs with. @returns {number} */
export function runPackage(/** @type {string} */ name, /** @type {string[]} */ args) {
  const file = join(root, 'node_modules', '.bin', name);
  return runHere(findNode() ?? process.execPath, [...nodeFlags, file, ...args]);
}

/** @param {string} program @param {string[]} args @param {string} [cwd] @returns {number} */
export function runHere(program, args, cwd = root) {
  const { status, error } = spawnSync(program, args, { cwd, stdio: 'inherit' });
  if (error) console.error(error.message);
  return status ?? 1;
}

/** @param {string} title */
export function heading(title) {
  console.log(`\n── ${title} ${'─'.repeat(Math.max(0, 76 - title.length))}`);
}

const ruff = join(trainerDir, '.venv', 'bin', 'ruff');

/**
 * Ruff comes with the trainer's environment, which set-up makes.
 * @type {Check & { missing: () => string | undefined }}
 */
export const trainerCheck = {
  name: 'trainer lint',
  missing: () => (existsSync(ruff) ? undefined : 'the trainer is not set up'),
  run: () => runHere(ruff, ['check', '--quiet', '.'], trainerDir),
  cure: 'npm run fix',
};
