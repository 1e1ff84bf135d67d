import { execFileSync } from 'node:child_process';

/** Why tests of a small disk are not run; empty where they are. Only root on Linux may mount one. */
export const cannotMount =
  process.platform === 'linux' && process.getuid?.() === 0 && mayUnshare()
    ? ''
    : ' (not run: needs root on Linux, to mount a small disk)';

function mayUnshare(): boolean {
  try {
    execFileSync('unshare', ['-m', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
