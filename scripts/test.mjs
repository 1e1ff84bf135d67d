// `npm test`: set-up, then every suite there is, and how many tests passed. This is what CI runs.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootstrapOrExit } from './bootstrap/bootstrap.mjs';
import { heading } from './checks.mjs';
import { suites } from './suites.mjs';

await bootstrapOrExit({ tests: true });

const reports = mkdtempSync(join(tmpdir(), 'evotrainer-test-'));
const total = { passed: 0, failed: 0, skipped: 0 };
/** @type {string[]} */
const remarks = [];
for (const suite of suites) {
  const missing = suite.missing?.();
  if (missing) {
    total.skipped += 1;
    remarks.push(`${suite.name}: not run, because ${missing}`);
    continue;
  }
  heading(suite.name);
  const began = Date.now();
  const count = suite.run(reports);
  for (const kind of /** @type {const} */ (['passed', 'failed', 'skipped'])) {
    total[kind] += count[kind];
  }
  const { passed, failed, skipped, failures = [] } = count;
  const took = ((Date.now() - began) / 1000).toFixed(1);
  const cure = failed > 0 && suite.cure ? `, try: ${suite.cure}` : '';
  remarks.push(
    `${suite.name}: ${passed} passed, ${failed} failed, ${skipped} skipped (${took} s)${cure}`,
    ...failures.map((failure) => `  failed: ${failure}`),
  );
}
rmSync(reports, { recursive: true, force: true });

heading('result');
for (const remark of remarks) console.log(remark);
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
