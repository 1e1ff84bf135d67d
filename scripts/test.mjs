// `npm test`: set-up, then every suite there is, and how many tests passed. This is what CI runs.
import { bootstrapOrExit } from './bootstrap/bootstrap.mjs';
import { heading, runSuites, summary, took } from './run-suites.mjs';
import { checkLanes, testLanes } from './suites.mjs';

await bootstrapOrExit({ tests: true });

const began = performance.now();
const results = [...(await runSuites(checkLanes)), ...(await runSuites(testLanes))];
const seconds = (performance.now() - began) / 1000;
/** @param {(result: import('./run-suites.mjs').Result) => number} of */
const sum = (of) => results.reduce((total, result) => total + of(result), 0);

heading('result');
for (const line of summary(results)) console.log(line);
console.log(`in all: ${took({ seconds, coreSeconds: sum((result) => result.coreSeconds ?? 0) })}`);
const [passed, failed] = [sum((result) => result.passed), sum((result) => result.failed)];
console.log(`${passed} passed, ${failed} failed, ${sum((result) => result.skipped)} skipped`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
