// The bundled trainer's program and folder, for the jobs that a worker starts and for a person at a terminal.
import { join } from 'node:path';
import { toolPath } from '../infra/tools.ts';
import { projectRoot } from './paths.ts';

export const trainerFolder = join(projectRoot, 'trainer');

/** Program and arguments of `python -m <module>`, to be run in trainerFolder. */
export const trainerCommand = (module: string): [string, ...string[]] => [
  toolPath('python'),
  '-m',
  module,
];
