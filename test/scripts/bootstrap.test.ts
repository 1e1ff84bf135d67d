import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemPackages } from '../../scripts/bootstrap/steps/system-packages.mjs';
import { hashFiles, isAtLeast } from '../../infra/machine/paths.mjs';

const root = join(import.meta.dirname, '..', '..');

describe('a version', () => {
  it.each([
    ['22.18.0', '22.18.0', true],
    ['24.1.0', '22.18.0', true],
    ['22.9.9', '22.18.0', false],
    ['1.10.0', '1.6', true],
    ['3.11', '3.11', true],
    ['0', '3.11', false],
  ])('%s against at least %s is %s', (version, least, expected) => {
    expect(isAtLeast(version, least)).toBe(expected);
  });
});

describe('set-up', () => {
  let clone: string;
  const tools = () => join(clone, '.tools');
  const lock = () => join(tools(), 'setup.lock');

  beforeEach(() => {
    clone = mkdtempSync(join(tmpdir(), 'evotrainer-setup-'));
    for (const folder of ['scripts', 'infra/machine']) {
      cpSync(join(root, folder), join(clone, folder), { recursive: true });
    }
    writeFileSync(join(clone, 'package.json'), '{"type":"module"}');
    mkdirSync(tools());
  });

  afterEach(() => rmSync(clone, { recursive: true, force: true }));

  it('names everything that is missing, each in a line', async () => {
    const failed = await setUp({ PATH: '/nowhere' });
    expect(failed.code).toBe(1);
    expect(failed.stderr.trim().split('\n')).toEqual([
      expect.stringMatching(/^npm is missing: install it/),
      expect.stringMatching(/^Go is missing, which builds temporal: install Go ≥ /),
    ]);
    expect(existsSync(lock())).toBe(false);
  });

  it('takes over from one that was killed, and clears what that left', async () => {
    writeFileSync(lock(), String(process.pid));
    const longAgo = new Date(Date.now() - 60_000);
    utimesSync(lock(), longAgo, longAgo);
    mkdirSync(join(tools(), 'packages.123.tmp'));
    await setUp({ PATH: '/nowhere' });
    expect(readdirSync(tools())).toEqual([]);
  });

  it('waits for one that is at work', async () => {
    writeFileSync(lock(), String(process.pid));
    const waiting = setUp({ PATH: '/nowhere' });
    const told = await waiting.firstLine;
    expect(told).toBe('waiting for another set-up of this clone');
    expect(readFileSync(lock(), 'utf8')).toBe(String(process.pid));
    rmSync(lock());
    expect((await waiting).code).toBe(1);
  });

  it('installs no trainer, model runtime or sandbox that nobody asked for', async () => {
    await setUp({ PATH: fakeUv() });
    expect(installed()).toEqual(['trainer', 'trainer']);
  });

  it('says how large a trainer is before it fetches it', async () => {
    const running = setUp({ PATH: fakeUv() }, '--trainer', 'sandbox');
    await running.said('… trainers/sandbox (0.2 MB)');
    expect(installed()).not.toContain('trainers/sandbox');
    writeFileSync(join(clone, 'go-on'), '');
    await running;
    expect(installed().slice(2)).toEqual(['trainers/sandbox', 'trainers/sandbox']);
  });

  /** A PATH with a uv that installs nothing, and a trainer only once there is a file `go-on`. */
  function fakeUv(): string {
    const bin = join(clone, 'bin');
    mkdirSync(bin);
    const wait = `case $4 in */trainers/*) until test -e ${clone}/go-on -o ! -d ${clone}; do /bin/sleep 0.05; done;; esac`;
    const uv = `#!/bin/sh\n${wait}\necho "$4" >>${clone}/installed\n/bin/mkdir -p "$4/.venv"\n`;
    writeFileSync(join(bin, 'uv'), uv, { mode: 0o755 });
    writeFileSync(join(bin, 'python3'), '#!/bin/sh\necho 3.12.1\n', { mode: 0o755 });
    for (const folder of ['trainer', 'trainers/hf', 'trainers/sandbox', 'trainers/trl']) {
      mkdirSync(join(clone, folder), { recursive: true });
      for (const name of ['pyproject.toml', 'uv.lock'])
        cpSync(join(root, folder, name), join(clone, folder, name));
    }
    return bin;
  }

  /** The folders for which that uv was started, from the clone; two times each. */
  function installed(): string[] {
    const told = join(clone, 'installed');
    const lines = existsSync(told) ? readFileSync(told, 'utf8').trim().split('\n') : [];
    return lines.map((line) => relative(clone, line));
  }

  /** Runs set-up in the clone with an empty home. */
  function setUp(env: NodeJS.ProcessEnv, ...args: string[]) {
    const script = join(clone, 'scripts', 'setup.mjs');
    const running = promisify(execFile)(process.execPath, [script, ...args], {
      env: { HOME: clone, ...env },
    });
    const said = (text: string): Promise<void> =>
      new Promise((resolve) => {
        let out = '';
        running.child.stdout?.on('data', (part) => {
          out += String(part);
          if (out.includes(text)) resolve();
        });
      });
    const firstLine = new Promise<string>((resolve) => {
      running.child.stdout?.once('data', (text) => resolve(String(text).trim()));
    });
    const ended = running.then(
      ({ stderr }) => ({ code: 0, stderr }),
      (error: { code: number; stderr: string }) => ({ code: error.code, stderr: error.stderr }),
    );
    return Object.assign(ended, { firstLine, said });
  }
});

describe('packages of the system', () => {
  let folder: string;
  const path = process.env['PATH'];
  const file = (name: string): string => join(folder, name);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'evotrainer-apt-'));
    process.env['PATH'] = folder;
  });

  afterEach(() => {
    process.env['PATH'] = path;
    rmSync(folder, { recursive: true, force: true });
  });

  it('are no reason to fail where they cannot be installed, and nothing is left of the try', async () => {
    const script = `#!/bin/sh\necho "$1" >>${file('told')}; test -x ${file('policy')} || exit 9\nexit 100\n`;
    writeFileSync(file('apt-get'), script, { mode: 0o755 });
    const step = systemPackages({ daemons: [], policy: file('policy'), systemd: file('none') });
    expect(step.isDone()).toBe(false);
    const note = await step.run(() => undefined);
    expect(note).toMatch(/not run \(apt-get update .* exit status 100\): .*bubblewrap/);
    expect(readFileSync(file('told'), 'utf8').trim().split('\n')).toEqual(['install', 'update']);
    expect(existsSync(file('policy'))).toBe(false);
  });

  it('start no service, and a ban that was there stays', async () => {
    writeFileSync(file('policy'), 'mine');
    writeFileSync(file('apt-get'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    const script = `#!/bin/sh\necho "$@" >>${file('told')}\n`;
    writeFileSync(file('systemctl'), script, { mode: 0o755 });
    const step = systemPackages({ daemons: [], policy: file('policy'), systemd: folder });
    expect(await step.run(() => undefined)).toBeUndefined();
    expect(readFileSync(file('policy'), 'utf8')).toBe('mine');
    expect(readFileSync(file('told'), 'utf8')).toContain('disable --quiet munge.service');
  });
});

describe('the hash of files', () => {
  it('tells a missing file from an empty one', () => {
    const folder = mkdtempSync(join(tmpdir(), 'evotrainer-hash-'));
    const file = join(folder, 'file');
    const missing = hashFiles([file]);
    writeFileSync(file, '');
    expect(hashFiles([file])).not.toBe(missing);
    rmSync(folder, { recursive: true });
  });
});
