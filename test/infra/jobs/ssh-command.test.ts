import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { sshCommand } from '../../../infra/jobs/ssh/ssh-command.ts';

const host = {
  address: '10.0.0.1',
  port: 2222,
  user: 'evo',
  identityFile: '/keys/with space',
  knownHosts: '/keys/known',
};

test('words reach the program over there as they are', () => {
  const words = ['printf', '%s|', "it's", '$HOME "x"', '; false', ''];
  const line = sshCommand(host, words).at(-1) ?? '';
  expect(execFileSync('sh', ['-c', line], { encoding: 'utf8' })).toBe(`it's|$HOME "x"|; false||`);
});

test('ssh asks nobody, believes the named host keys alone, and takes no address for an option', () => {
  const command = sshCommand(host, ['true']);
  expect(command).toEqual(
    expect.arrayContaining([
      'BatchMode=yes',
      'StrictHostKeyChecking=yes',
      'UserKnownHostsFile="/keys/known"',
      'GlobalKnownHostsFile=/dev/null',
      'IdentityFile="/keys/with space"',
      'IdentitiesOnly=yes',
    ]),
  );
  expect(command.slice(-3)).toEqual(['--', '10.0.0.1', `'true'`]);
});
