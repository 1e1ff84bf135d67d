import { execFileSync } from 'node:child_process';

/** The reason for skipping tests of a small disk; empty if they run. Only root on Linux may mount one. */
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
