import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { projectRoot } from '../workers/paths.ts';
import { evoCommand } from './define-command.ts';
import { EXIT } from './exit.ts';

/** Reached when the CLI is started without bin/evo.js, which answers `evo setup` by itself. */
export const command = evoCommand({
  name: 'setup',
  description: 'Install what campaigns need on this machine. May be repeated at will.',
  args: {
    tests: { type: 'boolean', description: 'what npm test needs too' },
    s3: { type: 'boolean', description: 'the S3 server too' },
  },
  async run(_args, rawArgs) {
    const script = join(projectRoot, 'scripts', 'setup.mjs');
    const { status } = spawnSync(process.execPath, [script, ...rawArgs], { stdio: 'inherit' });
    return status === 0 ? EXIT.ok : EXIT.failed;
  },
});
