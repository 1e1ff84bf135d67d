// Temporal's command line, which holds the server and the UI: the machine's own if it is new enough,
// else one built from the pinned module.
import { mkdirSync, writeFileSync } from 'node:fs';
import {
  findGoTool,
  findOnPath,
  goTools,
  isAtLeast,
  temporalChoice,
  toolsDir,
} from '../../../infra/machine/paths.mjs';
import { runInstaller } from '../run-program.mjs';
import { build } from './go-tool.mjs';

/** Older servers lack what the workflows use. */
const temporalVersionMin = '1.6.0';

export const temporal = {
  name: `temporal ${goTools.temporal.version}`,
  isDone: () => findGoTool('temporal') !== undefined,
  /** @param {import('./go-tool.mjs').Report} report */
  async run(report) {
    const own = findOnPath('temporal');
    if (!own || !(await isNewEnough(own))) return build('temporal', report);
    mkdirSync(toolsDir, { recursive: true });
    writeFileSync(temporalChoice, own);
  },
};

/** @param {string} program */
async function isNewEnough(program) {
  try {
    const version = /version (\d+\.\d+\.\d+)/.exec(await runInstaller(program, ['--version']))?.[1];
    return version !== undefined && isAtLeast(version, temporalVersionMin);
  } catch {
    return false; // A broken one on the PATH is as good as none.
  }
}
