// The suites of `npm test`, each with a way to count what happened in it.
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { findGoTool, trainerDir, trainerPython } from '../infra/machine/paths.mjs';
import { checks, everyCore, runHere, runPackage, trainerCheck } from './checks.mjs';
import { pytestFailures, vitestFailures } from './failures.mjs';

/**
 * @typedef {{ passed: number, failed: number, skipped: number, failures?: string[] }} Count
 * @typedef {{
 *   name: string,
 *   cure?: string | undefined,
 *   missing?: () => string | undefined,
 *   run: (reports: string) => Count,
 * }} Suite
 */

/** Jobs of these tests wait more than they work: for slots, for heartbeats that stay away, for a scheduler. */
const oneMoreThanCores = [`--maxWorkers=${availableParallelism() + 1}`];

/** @type {Suite[]} */
export const suites = [
  ...checks.map(checkSuite),
  { ...checkSuite(trainerCheck), missing: trainerCheck.missing },
  vitestSuite('unit', undefined, everyCore),
  vitestSuite('catalogue', undefined, everyCore),
  vitestSuite('contracts', undefined, oneMoreThanCores),
  { name: 'trainer', missing: needsTrainer, run: runPytest },
  vitestSuite('profile', needsTrainer, everyCore),
  vitestSuite('workflows', needsTemporal, everyCore),
  vitestSuite('e2e', needsTemporal),
];

function needsTrainer() {
  return existsSync(trainerPython) ? undefined : 'the trainer is not set up';
}

function needsTemporal() {
  return findGoTool('temporal') ? undefined : 'there is no temporal';
}

/** A check counts as one test. @param {import('./checks.mjs').Check} check @returns {Suite} */
function checkSuite({ name, cure, run }) {
  const count = () => (run() === 0 ? 1 : 0);
  return {
    name,
    cure,
    run() {
      const passed = count();
      return { passed, failed: 1 - passed, skipped: 0 };
    },
  };
}

/**
 * @param {string} name
 * @param {() => string | undefined} [missing]
 * @param {string[]} [more] arguments
 * @returns {Suite}
 */
function vitestSuite(name, missing = () => undefined, more = []) {
  return {
    name,
    missing,
    run(reports) {
      const report = join(reports, `${name}.json`);
      const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
      const status = runPackage('vitest', [
        'run',
        '--project',
        name,
        '--passWithNoTests',
        ...more,
        ...reporters,
      ]);
      if (!existsSync(report)) return { passed: 0, failed: status === 0 ? 0 : 1, skipped: 0 };
      const told = JSON.parse(readFileSync(report, 'utf8'));
      return crashCounts(status, {
        passed: told.numPassedTests,
        failed: told.numFailedTests,
        skipped: told.numPendingTests + told.numTodoTests,
        failures: vitestFailures(told),
      });
    },
  };
}

/** @param {string} reports @returns {Count} */
function runPytest(reports) {
  const report = join(reports, 'pytest.xml');
  const workers = ['--numprocesses', String(availableParallelism())];
  const args = ['-m', 'pytest', ...workers, '--junitxml', report];
  const status = runHere(trainerPython, args, trainerDir);
  if (!existsSync(report)) return { passed: 0, failed: 1, skipped: 0 };
  const xml = readFileSync(report, 'utf8');
  /** @param {string} attribute */
  const sum = (attribute) => {
    const found = xml.matchAll(new RegExp(`<testsuite [^>]*\\b${attribute}="(\\d+)"`, 'g'));
    return [...found].reduce((total, match) => total + Number(match[1]), 0);
  };
  const failed = sum('failures') + sum('errors');
  const skipped = sum('skipped');
  const passed = sum('tests') - failed - skipped;
  return crashCounts(status, { passed, failed, skipped, failures: pytestFailures(xml) });
}

/** A runner that fails without a failed test crashed, or could not load a file. */
function crashCounts(/** @type {number} */ status, /** @type {Count} */ count) {
  return status !== 0 && count.failed === 0 ? { ...count, failed: 1 } : count;
}
