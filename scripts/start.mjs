// `npm start`: set-up, then the demonstration campaign.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { bootstrapOrExit } from './bootstrap/bootstrap.mjs';
import { root } from '../infra/machine/paths.mjs';

await bootstrapOrExit();
const evo = join(root, 'bin', 'evo.js');
const { status } = spawnSync(process.execPath, [evo, 'demo', ...process.argv.slice(2)], {
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
