// Runs a TypeScript file of this project: `node scripts/run.mjs FILE ARGS`. An older Node hands over to the one that
// set-up fetched.
import { spawnSync } from 'node:child_process';
import { findNode } from '../infra/machine/paths.mjs';

const node = findNode();
if (!node) {
  console.error('this project is not set up: run "npm run setup -- --tests"');
  process.exit(1);
}
// Ctrl-C reaches both; only the child decides what to do.
process.on('SIGINT', () => undefined);
const { status, signal } = spawnSync(node, process.argv.slice(2), { stdio: 'inherit' });
process.exitCode = status ?? (signal === 'SIGINT' ? 130 : 1);
