// Gives libuv's threads work every second, in case the system lost a wake-up.
import { stat } from 'node:fs';

const EVERY_MS = 1_000;

/**
 * The C library of many systems (glibc before 2.41, its bug 25847) can lose the signal that wakes a sleeping thread. A
 * file operation then waits until the next one, and a process that has nothing else to do waits forever. This does not
 * keep a process alive that has ended its work.
 */
export function keepPoolAwake(): void {
  setInterval(() => stat('/', () => {}), EVERY_MS).unref();
}
