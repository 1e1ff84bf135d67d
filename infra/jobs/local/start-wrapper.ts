// Starts a wrapper in a session of its own and waits until it stands in the queue.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Job } from '../../../core/schemas/job.ts';
import { diskError } from '../../store/disk-error.ts';
import type { ClaimFolder, ClaimRequest } from '../claim-folder.ts';
import { writeJson } from '../small-file.ts';
import { waitUntil } from '../wait.ts';
import type { Launch } from '../wrapper/launch.ts';

const WRAPPER = fileURLToPath(new URL('../wrapper/main.ts', import.meta.url));
const START_MS_MAX = 30_000;

/** The claim as the wrapper finds it: nobody else reads a folder whose claim is sealed. */
export async function makeClaimFolder(
  folder: ClaimFolder,
  request: ClaimRequest,
  job: Job,
): Promise<void> {
  try {
    await mkdir(folder.path, { recursive: true, mode: request.sealed ? 0o700 : 0o755 });
  } catch (error) {
    throw diskError(error, folder.path);
  }
  await writeJson(folder.job, job);
  await writeJson(folder.request, request);
}

/** A wrapper that dies at once leaves its reason in its log; the claim is then seen as lost. */
export async function startWrapper(
  folder: ClaimFolder,
  launch: Launch,
  variables: Record<string, string>,
): Promise<void> {
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
