// Process of the `evo` command.
import { main } from './main.ts';

// If a reader such as `head` closes the pipe, end quietly.
process.stdout.on('error', () => process.exit());
// Keeps the process alive while a command waits only for a child that does not.
const alive = setInterval(() => undefined, 1 << 30);
process.exitCode = await main(process.argv.slice(2));
clearInterval(alive);
