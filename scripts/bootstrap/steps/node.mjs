// Node that runs TypeScript as it stands. The platform packages hold nothing but the program, so no
// install script has to run.
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  findNode,
  nodeVersion,
  nodeVersionMin,
  privateNode,
  toolsDir,
} from '../../../infra/machine/paths.mjs';
import { Prerequisite, runInstaller } from '../run-program.mjs';
import { npm } from './packages.mjs';

export const node = {
  name: `Node ${nodeVersion}`,
  isDone: () => findNode() !== undefined,
  async run() {
    if (process.platform !== 'linux') {
      throw new Prerequisite(
        `Node ${process.versions.node} is too old: install Node ≥ ${nodeVersionMin}`,
      );
    }
    const program = npm();
    const name = `node-${process.platform}-${process.arch}`;
    const half = join(toolsDir, `node.${process.pid}.tmp`);
    mkdirSync(half, { recursive: true });
    const flags = ['--no-save', '--no-package-lock', '--ignore-scripts', '--prefer-offline'];
    await runInstaller(program, ['install', '--prefix', half, ...flags, `${name}@${nodeVersion}`]);
    const place = dirname(dirname(privateNode));
    rmSync(place, { recursive: true, force: true });
    renameSync(join(half, 'node_modules', name), place);
    rmSync(half, { recursive: true, force: true });
  },
};
