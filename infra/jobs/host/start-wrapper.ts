// Starts a wrapper in its own session and waits until it is in the queue.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { makeFolder } from '../claim-folder.ts';
import type { ClaimFolder } from '../claim-folder.ts';
import { waitUntil } from '../wait-until.ts';
import type { Launch } from '../wrapper/launch.ts';

const WRAPPER = fileURLToPath(new URL('../wrapper/main.ts', import.meta.url));
const START_MS_MAX = 30_000;

/** A wrapper that dies at once leaves its reason in its log; the claim is then seen as lost. */
export async function startWrapper(
  folder: ClaimFolder,
  launch: Launch,
  variables: Record<string, string>,
): Promise<void> {
  await makeFolder(folder.path);
  const log = await open(folder.wrapperLog, 'a', 0o600);
  try {
    const child = spawn(process.execPath, [WRAPPER], {
      cwd: folder.path,
      env: variables,
      detached: true,
      stdio: ['pipe', log.fd, log.fd],
    });
    let over = false;
    child.once('exit', () => (over = true));
    child.once('error', () => (over = true));
    child.stdin?.on('error', () => {});
    child.stdin?.end(JSON.stringify(launch));
    child.unref();
    await waitUntil(() => over || existsSync(folder.state), START_MS_MAX);
  } finally {
    await log.close();
  }
}
