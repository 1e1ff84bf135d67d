// The wrapper's process: started by an executor in a session of its own, told everything on standard input.
import { text } from 'node:stream/consumers';
import { processIdentity } from '../../process/identity.ts';
import { claimFolder, makeFolder } from '../claim-folder.ts';
import { writeJson } from '../small-file.ts';
import { waitForLock } from '../wait.ts';
import { launchSchema } from './launch.ts';
import { runClaim } from './run-claim.ts';

/** Longer than any probe holds it. */
const LOCK_MS_MAX = 5_000;

async function main(): Promise<void> {
  const ending = new AbortController();
  process.on('SIGTERM', () => ending.abort());
  process.on('SIGINT', () => ending.abort());
  process.on('SIGHUP', () => {});
  const launch = launchSchema.parse(JSON.parse(await text(process.stdin)));
  const folder = claimFolder(launch.folder);
  await makeFolder(folder.path, launch.request.sealed);
  const lock = await waitForLock(folder.lock, LOCK_MS_MAX);
  if (lock === null) throw new Error(`another wrapper holds the claim [${folder.lock}]`);
  try {
    const { pid } = process;
    await writeJson(folder.wrapper, { pid, identity: processIdentity(pid) });
    await writeJson(folder.job, launch.job);
    await writeJson(folder.request, launch.request);
    await runClaim({ launch, folder, request: launch.request, ending: ending.signal });
  } finally {
    lock.release();
  }
}

await main();
