import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { sshCommand } from '../../../infra/jobs/ssh/ssh-command.ts';

const host = {
  address: '10.0.0.1',
  port: 2222,
  user: 'evo',
  identityFile: '/keys/with space',
  knownHosts: '/keys/known',
};

const NOBODY = 65534;

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

describe('the folder of shared connections', () => {
  const temporary = (): string => {
    const folder = mkdtempSync(join(tmpdir(), 'evo-tmp-'));
    vi.stubEnv('TMPDIR', folder);
    onTestFinished(() => {
      vi.unstubAllEnvs();
      rmSync(folder, { recursive: true, force: true });
    });
    return folder;
  };
  const controlFolder = (): string => {
    const option = sshCommand(host, ['true']).find((word) => word.startsWith('ControlPath='));
    return dirname(option?.slice('ControlPath="'.length) ?? '');
  };
  const named = (folder: string): string => join(folder, `evo-ssh-${process.getuid?.()}`);

  test('has one name for all processes of a user', () => {
    const folder = temporary();
    expect([controlFolder(), controlFolder()]).toEqual([named(folder), named(folder)]);
    expect(lstatSync(named(folder)).mode & 0o7777).toBe(0o700);
  });

  test.each([
    ['a file', (path: string) => writeFileSync(path, '')],
    ['a link', (path: string) => symlinkSync(tmpdir(), path)],
    ['a folder that others may read', (path: string) => (mkdirSync(path), chmodSync(path, 0o755))],
  ])('has another name, of its own, if %s is in the way', (_, put) => {
    const folder = temporary();
    put(named(folder));
    const other = controlFolder();
    expect(other).toMatch(new RegExp(`^${named(folder)}-\\w{6}$`));
    expect(lstatSync(other).mode & 0o7777).toBe(0o700);
    expect(controlFolder()).toBe(other);
  });

  test.skipIf(process.getuid?.() !== 0)(
    'has another name if another user took the first, with a folder or a link (needs root)',
    () => {
      const folder = temporary();
      mkdirSync(named(folder), { mode: 0o700 });
      chownSync(named(folder), NOBODY, NOBODY);
      const other = controlFolder();
      expect(other).toMatch(new RegExp(`^${named(folder)}-\\w{6}$`));
      rmSync(named(folder), { recursive: true });
      symlinkSync(other, named(folder));
      lchownSync(named(folder), NOBODY, NOBODY);
      expect(controlFolder()).not.toBe(named(folder));
    },
  );

  test('is not used if none can be made', () => {
    vi.stubEnv('TMPDIR', '/nowhere');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(sshCommand(host, ['true'])).toContain('ControlMaster=no');
  });
});
