import { describe, expect, test } from 'vitest';
import { runProgram } from '../../../infra/jobs/exec/run-program.ts';

const ask = (script: string, timeoutMs = 60_000): Promise<unknown> =>
  runProgram(
    { command: ['sh', '-c', script], cwd: '/', variables: { PATH: process.env['PATH'] ?? '' } },
    { op: 'status' },
    timeoutMs,
  );

describe('a program that is asked', () => {
  test('reads the question and is believed where it exits with 0', async () => {
    expect(await ask('cat')).toEqual({ op: 'status' });
  });

  test('says nothing of the job by exit 75, by a signal or by silence', async () => {
    for (const script of ['exit 75', 'kill -9 $$']) {
      await expect(ask(script)).rejects.toMatchObject({ kind: 'unreachable' });
    }
    await expect(ask('exec sleep 600', 100)).rejects.toMatchObject({
      kind: 'unreachable',
      message: 'sh did not answer within 0 s',
    });
  });

  test('is quoted where it could not, with the error among its last words', async () => {
    const trace = 'echo "Traceback:" >&2; echo "KeyError: gpus" >&2; echo "  at x" >&2; exit 1';
    await expect(ask(trace)).rejects.toMatchObject({
      kind: 'failed',
      message: 'sh exited with 1: KeyError: gpus',
    });
    await expect(ask('echo not JSON')).rejects.toThrow(
      'sh did not answer with JSON, but "not JSON"',
    );
  });

  test('is awaited no longer than it lives, whoever holds its output open', async () => {
    await expect(ask('sleep 20 & echo "no room" >&2; exit 3')).rejects.toThrow('exited with 3');
  });
});
