// Programs without a package in any registry of ours, built from their Go modules once a user.
import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  cachedTool,
  findGoTool,
  findOnPath,
  goTools,
  root,
} from '../../../infra/machine/paths.mjs';
import { Prerequisite, runInstaller } from '../run-program.mjs';

const goVersionMin = '1.21';

/** @typedef {(detail: string) => void} Report */

/** @param {import('../../../infra/machine/paths.mjs').GoToolName} name */
export function goTool(name) {
  return {
    name: `${name} ${goTools[name].version}`,
    isDone: () => findGoTool(name) !== undefined,
    /** @param {Report} report */
    run: (report) => build(name, report),
  };
}

/** @param {import('../../../infra/machine/paths.mjs').GoToolName} name @param {Report} report */
export async function build(name, report) {
  const go = findOnPath('go');
  if (!go) throw new Prerequisite(missingGo(name));
  const tool = goTools[name];
  const cwd = join(root, tool.module);
  const env = { CGO_ENABLED: '0', GOFLAGS: '-mod=readonly', GOWORK: 'off' };
  report('downloading modules');
  const all = await runInstaller(go, ['list', '-deps', tool.package], { cwd, env });
  const total = all.split('\n').length;
  const place = cachedTool(name);
  mkdirSync(dirname(place), { recursive: true });
  dropAbandoned(dirname(place));
  // A kill leaves at most a file of another name, and of two builds the last one wins.
  const half = `${place}.${process.pid}.tmp`;
  const ldflags = ['-s -w', tool.versionVariable && `-X ${tool.versionVariable}=${tool.version}`];
  const flags = ['-v', '-trimpath', '-ldflags', ldflags.filter(Boolean).join(' '), '-o', half];
  let compiled = 0;
  await runInstaller(go, ['build', ...flags, tool.package], {
    cwd,
    env,
    onLine: () => report(`compiled ${++compiled} of ${total} packages`),
  });
  renameSync(half, place);
}

/** @param {string} name */
function missingGo(name) {
  const otherwise = name === 'temporal' ? ', or put a temporal ≥ 1.6 on the PATH' : '';
  return `Go is missing, which builds ${name}: install Go ≥ ${goVersionMin}${otherwise}`;
}

const hourMs = 3_600_000;

/** @param {string} folder */
function dropAbandoned(folder) {
  for (const file of readdirSync(folder)) {
    const path = join(folder, file);
    if (!file.endsWith('.tmp') || Date.now() - statSync(path).mtimeMs < hourMs) continue;
    rmSync(path, { force: true });
  }
}
