// Serves a scripted language model until it is ended: npm run model -- SCRIPT.yaml [--port N] [--log FILE]
import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readScript } from './script.ts';
import { logLine, startScriptedServer } from './scripted-server.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { port: { type: 'string', default: '8089' }, log: { type: 'string' } },
});
const [path] = positionals;
if (path === undefined) throw new Error('give a script, for example configs/research-script.yaml');
const { log } = values;
const server = await startScriptedServer(readScript(path), {
  port: Number(values.port),
  onRequest: (request) => {
    const { specialist, generation, turn } = request.asked;
    process.stdout.write(`request ${request.number}: ${specialist} g${generation} turn ${turn}\n`);
    if (log !== undefined) appendFileSync(log, `${logLine(request)}\n`);
  },
});
process.stdout.write(`scripted model at ${server.url}/v1\n`);
