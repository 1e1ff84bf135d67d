// A daemon for as long as its owner lives: it dies with whoever started it, however that dies.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';

export class Daemon {
  readonly #command: readonly string[];
  readonly #log: string;
  #child: ChildProcess | null = null;

  /** `command` stays in the foreground; what it says goes to `log`. */
  constructor(command: readonly string[], log: string) {
    this.#command = command;
    this.#log = log;
  }

  get runs(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  start(): void {
    if (this.runs) return;
    const log = openSync(this.#log, 'a', 0o600);
    const words = ['--pdeathsig', 'KILL', '--', ...this.#command];
    this.#child = spawn('setpriv', words, { stdio: ['ignore', log, log], cwd: '/' });
    this.#child.on('error', () => {});
    closeSync(log);
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (!this.runs || this.#child?.pid === undefined) return;
    const over = once(this.#child, 'exit');
    this.#child.kill(signal);
    await over;
  }
}
