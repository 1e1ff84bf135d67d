// `npm run fix`: what format and lint can put right by themselves.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { root, trainerDir, trainersDir } from '../infra/machine/paths.mjs';
import { ruff } from './checks.mjs';
import { packageProgram } from './run-quietly.mjs';

const linted = run(packageProgram('oxlint', ['--type-aware', '--fix']));
const formatted = run(packageProgram('oxfmt', []));
const sorted = { program: ruff, args: ['check', '--fix', '.', trainersDir], cwd: trainerDir };
const trainer = existsSync(ruff) ? run(sorted) : 0;
process.exitCode = linted || formatted || trainer;

/** @param {import('./run-quietly.mjs').Command} command */
function run({ program, args, cwd = root }) {
  const { status, error } = spawnSync(program, args, { cwd, stdio: 'inherit' });
  if (error) console.error(error.message);
  return status ?? 1;
}
