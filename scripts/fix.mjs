// `npm run fix`: what format and lint can put right by themselves.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { trainerDir } from '../infra/machine/paths.mjs';
import { runHere, runPackage } from './checks.mjs';

const linted = runPackage('oxlint', ['--type-aware', '--fix']);
const formatted = runPackage('oxfmt', []);
const ruff = join(trainerDir, '.venv', 'bin', 'ruff');
const trainer = existsSync(ruff) ? runHere(ruff, ['check', '--fix', '.'], trainerDir) : 0;
process.exitCode = linted || formatted || trainer;
