// Identifies a process for good: the kernel reuses pids, but not a pid with its start time and boot.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A text that no other process of this machine has had; null if no such process lives. A zombie counts as dead. */
export function processIdentity(pid: number): string | null {
  return process.platform === 'linux' ? identityFromProc(pid) : identityFromPs(pid);
}

export function isAlive(pid: number, identity: string): boolean {
  return processIdentity(pid) === identity;
}

function identityFromProc(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command is in brackets and may contain anything, so fields are counted after the last bracket.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, startTicks] = [fields[0], fields[19]];
    if (state === 'Z' || state === 'X' || startTicks === undefined) return null;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}:${startTicks}`;
  } catch {
    return null;
  }
}

function identityFromPs(pid: number): string | null {
  try {
    const answer = execFileSync('ps', ['-o', 'state=,lstart=', '-p', `${pid}`], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [state, ...started] = answer.trim().split(/\s+/);
    return state === undefined || state.startsWith('Z') ? null : started.join(' ');
  } catch {
    return null;
  }
}
