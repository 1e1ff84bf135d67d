// Runs suites side by side. What a suite prints appears in one piece when it has ended, so that nothing is mixed up.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runQuietly } from './run-quietly.mjs';

const PROGRESS_MS = 30_000;

/**
 * @typedef {{ passed: number, failed: number, skipped: number, failures?: string[] }} Count
 * @typedef {{
 *   name: string,
 *   cure?: string | undefined,
 *   inBackground?: boolean,
 *   missing?: (() => string | undefined) | undefined,
 *   command: (reports: string) => import('./run-quietly.mjs').Command,
 *   count: (ended: { status: number, reports: string }) => Count,
 * }} Suite
 * @typedef {Count & { suite: Suite, seconds: number, coreSeconds: number | null, missing?: string }} Result
 */

/**
 * Lanes run side by side, the suites of a lane one after the other.
 * @param {Suite[][]} lanes @returns {Promise<Result[]>}
 */
export async function runSuites(lanes) {
  const reports = mkdtempSync(join(tmpdir(), 'evotrainer-test-'));
  /** @type {Map<string, number>} */
  const running = new Map();
  const progress = setInterval(() => {
    const names = [...running].map(([name, began]) => `${name} ${wholeSeconds(began)} s`);
    console.log(`… ${names.join(', ')}`);
  }, PROGRESS_MS);
  try {
    const results = await Promise.all(lanes.map((lane) => runLane(lane, running, reports)));
    return results.flat();
  } finally {
    clearInterval(progress);
    rmSync(reports, { recursive: true, force: true });
  }
}

/** @param {Suite[]} lane @param {Map<string, number>} running @param {string} reports */
async function runLane(lane, running, reports) {
  /** @type {Result[]} */
  const results = [];
  for (const suite of lane) {
    const missing = suite.missing?.();
    if (missing !== undefined) {
      const nothing = { passed: 0, failed: 0, skipped: 1, seconds: 0, coreSeconds: 0 };
      results.push({ ...nothing, suite, missing });
      continue;
    }
    running.set(suite.name, performance.now());
    const { inBackground = false } = suite;
    const ended = await runQuietly(suite.command(reports), { inBackground });
    running.delete(suite.name);
    heading(suite.name);
    if (ended.output) process.stdout.write(ended.output);
    const { status, seconds, coreSeconds } = ended;
    results.push({ ...suite.count({ status, reports }), suite, seconds, coreSeconds });
  }
  return results;
}

/**
 * One line for each suite, those that were not run among them, and one for each test that failed. @param {Result[]}
 * results
 */
export function summary(results) {
  return results.flatMap((result) => {
    const { suite, passed, failed, skipped, failures = [], missing } = result;
    if (missing !== undefined) return [`${suite.name}: not run, because ${missing}`];
    const cure = failed > 0 && suite.cure ? `, try: ${suite.cure}` : '';
    const counts = `${passed} passed, ${failed} failed, ${skipped} skipped`;
    return [
      `${suite.name}: ${counts} (${took(result)})${cure}`,
      ...failures.map((failure) => `  failed: ${failure}`),
    ];
  });
}

/** @param {{ seconds: number, coreSeconds: number | null }} spent */
export function took({ seconds, coreSeconds }) {
  const cores = coreSeconds === null ? '' : `, ${coreSeconds.toFixed(1)} core-seconds`;
  return `${seconds.toFixed(1)} s${cores}`;
}

/** @param {string} title */
export function heading(title) {
  console.log(`\n── ${title} ${'─'.repeat(Math.max(0, 76 - title.length))}`);
}

/** @param {number} since */
const wholeSeconds = (since) => Math.round((performance.now() - since) / 1000);
