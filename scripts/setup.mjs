// `npm run setup` and `evo setup`: everything a campaign needs; --tests adds what the tests need, --s3
// the S3 server.
import { parseArgs } from 'node:util';
import { bootstrapOrExit } from './bootstrap/bootstrap.mjs';

const options = /** @type {const} */ ({ tests: { type: 'boolean' }, s3: { type: 'boolean' } });
const { values } = parseArgs({ options });
await bootstrapOrExit(values);
console.log('Everything is set up.');
