// Runs commands on another machine with the OpenSSH client: strict host keys, no prompts, one shared connection.
import { lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** How to reach one host. */
export interface SshAddress {
  readonly address: string;
  readonly port: number | null;
  readonly user: string | null;
  readonly identityFile: string | null;
  readonly knownHosts: string | null;
}

/** What ssh exits with when the connection failed, whatever the command would have said. */
export const SSH_LOST = 255;

const OPTIONS = [
  'BatchMode=yes',
  'StrictHostKeyChecking=yes',
  'UpdateHostKeys=no',
  'ClearAllForwardings=yes',
  'ForwardAgent=no',
  'PermitLocalCommand=no',
  'LogLevel=ERROR',
  'ConnectTimeout=5',
  // A connection that died without a word is given up after six seconds.
  'ServerAliveInterval=2',
  'ServerAliveCountMax=3',
];

/**
 * Program and arguments that run `words` over there; `words` reach the program as they are, whatever shell is between.
 */
export function sshCommand(to: SshAddress, words: readonly string[]): string[] {
  const options = [...OPTIONS, ...sharing(), ...identity(to)];
  const port = to.port === null ? [] : ['-p', String(to.port)];
  const user = to.user === null ? [] : ['-l', to.user];
  const given = options.flatMap((option) => ['-o', option]);
  return ['ssh', '-T', ...given, ...port, ...user, '--', to.address, words.map(quote).join(' ')];
}

/** A key or a file of known hosts that is named is the only one. */
function identity({ identityFile, knownHosts }: SshAddress): string[] {
  return [
    ...(identityFile === null ? [] : [`IdentityFile="${identityFile}"`, 'IdentitiesOnly=yes']),
    ...(knownHosts === null
      ? []
      : [`UserKnownHostsFile="${knownHosts}"`, 'GlobalKnownHostsFile=/dev/null']),
  ];
}

/** One connection a host, kept for a minute: 20 ms a command instead of 300. */
function sharing(): string[] {
  // Not in the state folder: the path of a socket holds 104 characters at most.
  const folder = join(tmpdir(), `evo-ssh-${process.getuid?.() ?? 0}`);
  return isOurs(folder)
    ? ['ControlMaster=auto', 'ControlPersist=60', `ControlPath="${folder}/%C"`]
    : ['ControlMaster=no', 'ControlPath=none'];
}

/** Another user who can write there could send commands in our name. */
function isOurs(folder: string): boolean {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  return found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
}

const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
