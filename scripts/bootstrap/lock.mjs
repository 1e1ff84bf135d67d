// One set-up at a time in one clone; another waits. The holder touches the file every few seconds, so
// that the lock of a killed one is known by its age, whatever process has its number by now.
import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { toolsDir } from '../../infra/machine/paths.mjs';

const file = join(toolsDir, 'setup.lock');
const touchMs = 2000;
const staleMs = 15_000;

/** @param {() => void} onWait */
export async function takeLock(onWait) {
  mkdirSync(toolsDir, { recursive: true });
  for (let waited = false; !tryLock(); waited = true) {
    if (!waited) onWait();
    await sleep(500);
  }
  const toucher = setInterval(() => utimesSync(file, new Date(), new Date()), touchMs);
  toucher.unref();
  return () => {
    clearInterval(toucher);
    rmSync(file, { force: true });
  };
}

function tryLock() {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    if (isAbandoned()) rmSync(file, { force: true });
    return false;
  }
}

function isAbandoned() {
  try {
    if (Date.now() - statSync(file).mtimeMs > staleMs) return true;
    process.kill(Number(readFileSync(file, 'utf8')), 0);
    return false;
  } catch (error) {
    return codeOf(error) === 'ESRCH';
  }
}

/** @param {unknown} error */
function codeOf(error) {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
