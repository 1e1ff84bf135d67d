// The first process inside an agent's sandbox: opens its way to the named hosts, runs the agent, and reports what it
// wrote. Node.js alone runs it: `node agent-inside.mjs HAS_HOSTS COMMAND…`. What it prints is as little trusted as the agent.
import { spawn } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { connect, createServer } from 'node:net';

const ANSWER_BYTES_MAX = 256 * 1024;
const PROXY_PORT = 3128;

const [hasHosts, command, ...args] = process.argv.slice(2);

/** Null if it is not there; its size if it is too large. @param {string} path */
function read(path) {
  try {
    const { size } = statSync(path);
    return size > ANSWER_BYTES_MAX ? { tooLarge: size } : { text: readFileSync(path, 'utf8') };
  } catch {
    return null;
  }
}

/** @param {number | null} code @param {string | null} error */
function report(code, error) {
  const files = { answer: read('/agent/answer.json'), usage: read('/agent/usage.json') };
  process.stdout.write(JSON.stringify({ code, error, ...files }), () => process.exit(0));
}

function run() {
  const agent = spawn(command ?? '', args, { stdio: ['ignore', 2, 2], cwd: '/agent' });
  agent.once('error', (error) => report(null, error.message));
  agent.once('exit', (code) => report(code, null));
}

if (hasHosts === 'yes') {
  const server = createServer((socket) => {
    const outside = connect('/run/hosts.sock');
    for (const one of [socket, outside]) {
      one.on('error', () => {
        socket.destroy();
        outside.destroy();
      });
    }
    socket.pipe(outside).pipe(socket);
  });
  server.listen(PROXY_PORT, '127.0.0.1', run);
} else run();
