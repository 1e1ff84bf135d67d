// The `evo` command's process.
import { main } from './main.ts';

// A reader like `head` that closes the pipe ends the command quietly.
process.stdout.on('error', () => process.exit());
// A command may wait for nothing but a child that does not keep this process alive.
const alive = setInterval(() => undefined, 1 << 30);
process.exitCode = await main(process.argv.slice(2));
clearInterval(alive);
