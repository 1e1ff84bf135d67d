import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { trainerPython } from '../../infra/machine/paths.mjs';
import { runQuietly } from '../../scripts/run-quietly.mjs';
import { runSuites, type Suite, summary } from '../../scripts/run-suites.mjs';

const node = (program: string) => ({ program: process.execPath, args: ['-e', program] });

/** A suite of one test, which passes where the program does. */
function suite(name: string, program: string, more: Partial<Suite> = {}): Suite {
  const count: Suite['count'] = ({ status }) => ({
    passed: status === 0 ? 1 : 0,
    failed: status === 0 ? 0 : 1,
    skipped: 0,
  });
  return { name, command: () => node(program), count, ...more };
}

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'evotrainer-suites-'))));
afterEach(() => rmSync(folder, { recursive: true }));

/** Code that makes a file, and code that goes on when another one is there. */
const made = (name: string): string => `fs.writeFileSync('${join(folder, name)}', '');`;
const whenThere = (name: string, then: string): string =>
  `const timer = setInterval(() => {
    if (!fs.existsSync('${join(folder, name)}')) return;
    clearInterval(timer);
    ${then}
  }, 5);`;

describe('suites', () => {
  it('of two lanes run side by side, and those of one lane one after the other', async () => {
    const { results } = await runPrinted([
      [
        suite('left', made('left') + whenThere('right', made('left-is-over'))),
        suite('next', `process.exit(fs.existsSync('${join(folder, 'left-is-over')}') ? 0 : 1)`),
      ],
      [suite('right', whenThere('left', made('right')))],
    ]);
    expect(results.map(({ suite: { name }, failed }) => [name, failed])).toEqual([
      ['left', 0],
      ['next', 0],
      ['right', 0],
    ]);
  });

  it('print what they print in one piece, when they have ended', async () => {
    const { text } = await runPrinted([
      [suite('left', `console.log('a'); ${made('a') + whenThere('c', `console.log('b');`)}`)],
      [suite('right', whenThere('a', `console.log('c'); ${made('c')}`))],
    ]);
    expect(text).toMatch(/── left ─+\na\nb\n/);
    expect(text).toMatch(/── right ─+\nc\n/);
  });

  it('are each summed up in a line, with the cure, the failed tests and the reason why one was not run', async () => {
    const count = () => ({ passed: 2, failed: 1, skipped: 0, failures: ['a sum: it is 3'] });
    const { lines } = await runPrinted([
      [
        suite('broken', '', { count, cure: 'npm run fix' }),
        suite('absent', '', { missing: () => 'there is no temporal' }),
      ],
    ]);
    const [broken, failure, absent] = lines;
    expect(broken).toMatch(
      /^broken: 2 passed, 1 failed, 0 skipped \(\d+\.\d s(, \d+\.\d core-seconds)?\), try: npm run fix$/,
    );
    expect(failure).toBe('  failed: a sum: it is 3');
    expect(absent).toBe('absent: not run, because there is no temporal');
  });
});

describe('a program that runs quietly', () => {
  it('fails with the reason where it cannot be started', async () => {
    const { status, output } = await runQuietly({ program: '/none/such', args: [] });
    expect(status).not.toBe(0);
    expect(output).toMatch(/\/none\/such/);
  });

  it('is not waited for longer than it lives, whatever it leaves running', async () => {
    const leaves = `const left = require('node:child_process')
      .spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'inherit' });
      console.log(left.pid);
      left.unref();`;
    const { status, output } = await runQuietly(node(leaves));
    expect(status).toBe(0);
    expect(Number(output)).toBeGreaterThan(1);
    process.kill(Number(output), 'SIGKILL');
  });

  it.skipIf(process.platform !== 'linux' || !existsSync(trainerPython))(
    'counts the core-seconds of those that left its session, too',
    async () => {
      const busy = `const until = process.cpuUsage().user + 200_000; while (process.cpuUsage().user < until);`;
      const starts = `require('node:child_process')
        .spawn(process.execPath, ['-e', ${JSON.stringify(busy)}], { detached: true, stdio: 'ignore' })
        .on('exit', () => process.exit())`;
      const { coreSeconds } = await runQuietly(node(starts));
      expect(coreSeconds).toBeGreaterThan(0.2);
    },
  );
});

async function runPrinted(lanes: Suite[][]) {
  let text = '';
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  const log = vi.spyOn(console, 'log').mockImplementation((line) => void (text += `${line}\n`));
  try {
    const results = await runSuites(lanes);
    return { results, text, lines: summary(results) };
  } finally {
    write.mockRestore();
    log.mockRestore();
  }
}
