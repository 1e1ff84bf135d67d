// `npm run check`: what every change must pass, in under a minute.
import { bootstrapOrExit } from './bootstrap/bootstrap.mjs';
import { checks, everyCore, heading, runPackage, trainerCheck } from './checks.mjs';

await bootstrapOrExit();

/** @type {import('./checks.mjs').Check} */
const unit = {
  name: 'unit tests',
  run: () => runPackage('vitest', ['run', '--project', 'unit', ...everyCore]),
};
/** @type {string[]} */
const failed = [];
const trainer = trainerCheck.missing() === undefined ? [trainerCheck] : [];
for (const check of [...checks, ...trainer, unit]) {
  heading(check.name);
  if (check.run() === 0) continue;
  const cure = check.cure ? ` (try: ${check.cure})` : '';
  failed.push(check.name + cure);
}
console.log(failed.length > 0 ? `\nFailed: ${failed.join(', ')}` : '\nAll checks pass.');
process.exitCode = failed.length > 0 ? 1 : 0;
