// The wrapper's process: started by an executor in a session of its own, told everything on standard input.
import { text } from 'node:stream/consumers';
import { launchSchema } from './launch.ts';
import { endOnSignals, wrap } from './wrap.ts';

const ending = endOnSignals();
const launch = launchSchema.parse(JSON.parse(await text(process.stdin)));
await wrap(launch, ending, process.env);
