// Runs a program while others run too: what it prints is kept until it has ended, and its core-seconds are counted.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileCache, findNode, nodeFlags, root, trainerPython } from '../infra/machine/paths.mjs';

/** Takes the cores that others leave idle. */
const BACKGROUND_PRIORITY = 5;
const DRAIN_MS = 2_000;
const COUNTER = join(root, 'scripts', 'core-seconds.py');
/** @type {['ignore', 'pipe', 'pipe']} */
const stdio = ['ignore', 'pipe', 'pipe'];

/**
 * @typedef {{ program: string, args: string[], cwd?: string }} Command
 * @typedef {{ status: number, output: string, seconds: number, coreSeconds: number | null }} Ended
 */

/**
 * A package's program, under the Node that our code runs with.
 * @param {string} name @param {string[]} args @returns {Command}
 */
export function packageProgram(name, args) {
  const file = join(root, 'node_modules', '.bin', name);
  return { program: findNode() ?? process.execPath, args: [...nodeFlags, file, ...args] };
}

/**
 * Never throws: a program that cannot be started failed, and its output holds the reason.
 * @param {Command} command @param {{ inBackground?: boolean }} [options] @returns {Promise<Ended>}
 */
export async function runQuietly({ program, args, cwd = root }, { inBackground = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'evotrainer-run-'));
  const began = performance.now();
  const measured = join(folder, 'core-seconds');
  const env = { NODE_COMPILE_CACHE: compileCache, ...process.env, ...colors() };
  const child = existsSync(trainerPython)
    ? spawn(trainerPython, [COUNTER, measured, program, ...args], { cwd, env, stdio })
    : spawn(program, args, { cwd, env, stdio });
  if (inBackground) lower(child.pid);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => (output += text));
  }
  const status = await new Promise((resolve) => {
    child.on('error', (error) => {
      output += `${error.message}\n`;
      resolve(1);
    });
    child.on('close', (code) => resolve(code ?? 1));
    // Not for ever: what a suite leaves running may hold its end of the pipe.
    child.on('exit', (code) => setTimeout(resolve, DRAIN_MS, code ?? 1).unref());
  });
  const seconds = (performance.now() - began) / 1000;
  const coreSeconds = existsSync(measured) ? Number(readFileSync(measured, 'utf8')) : null;
  rmSync(folder, { recursive: true, force: true });
  return { status, output, seconds, coreSeconds };
}

/** Programs print to us instead of the terminal, and would leave the colors out. */
function colors() {
  const isWanted = process.stdout.isTTY && process.env['NO_COLOR'] === undefined;
  return isWanted ? { FORCE_COLOR: '1' } : {};
}

/** @param {number | undefined} pid */
function lower(pid) {
  try {
    if (pid !== undefined) setPriority(pid, BACKGROUND_PRIORITY);
  } catch {
    // It runs as the others do.
  }
}
