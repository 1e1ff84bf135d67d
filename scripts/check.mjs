// `npm run check`: what every change must pass, in under 45 seconds on two cores.
import { bootstrapOrExit } from './bootstrap/bootstrap.mjs';
import { heading, runSuites, summary } from './run-suites.mjs';
import { checkLanes } from './suites.mjs';

await bootstrapOrExit();

const results = await runSuites(checkLanes);
heading('result');
for (const line of summary(results)) console.log(line);
const failed = results.filter((result) => result.failed > 0).map(({ suite }) => suite.name);
console.log(failed.length > 0 ? `\nFailed: ${failed.join(', ')}` : '\nAll checks pass.');
process.exitCode = failed.length > 0 ? 1 : 0;
