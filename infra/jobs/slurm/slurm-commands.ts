// Runs Slurm's programs on this machine or on a login host.
import { runText } from '../exec/run-program.ts';
import { SSH_LOST, sshCommand } from '../ssh/ssh-command.ts';
import type { SshAddress } from '../ssh/ssh-command.ts';
import { clientVariables, trainerVariables } from '../wrapper-environment.ts';
import type { EnvironmentVariables } from '../wrapper-environment.ts';

/** sbatch says 255 of an option that it does not know, as ssh does of a connection that it lost. */
const REMOTE = '"$@"; status=$?; test $status -ne 255 || exit 254; exit $status';

export interface SlurmAccess {
  /** Null where Slurm's programs run on this machine. */
  readonly login: SshAddress | null;
  /** The worker's environment. sbatch hands its own on to jobs, so all that is secret is taken out. */
  readonly variables: EnvironmentVariables;
}

export class SlurmCommands {
  readonly #login: SshAddress | null;
  readonly #variables: Readonly<Record<string, string>>;

  constructor({ login, variables }: SlurmAccess) {
    this.#login = login;
    this.#variables = login === null ? trainerVariables(variables) : clientVariables(variables);
  }

  /** What the program printed. Throws ExecutorError as `runProgram` does. */
  run(words: readonly string[], input: string, timeoutMs: number): Promise<string> {
    const login = this.#login;
    const variables = this.#variables;
    if (login === null) return runText({ command: words, cwd: '/', variables }, input, timeoutMs);
    const command = sshCommand(login, ['sh', '-c', REMOTE, 'evo', ...words]);
    return runText({ command, cwd: '/', variables, lostStatus: SSH_LOST }, input, timeoutMs);
  }
}
