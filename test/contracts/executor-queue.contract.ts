// What every Executor whose queue is ours does: slots of a machine. Others leave the order to who runs their jobs.
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { Executor } from '../../activities/ports/executor.ts';
import { Bench } from './executor-bench.ts';
import type { ExecutorCase } from './executor-bench.ts';
import { fakeJob } from './fake-jobs.ts';

export function executorQueueContract(name: string, make: () => Promise<ExecutorCase>): void {
  describe(`${name} as an Executor with slots`, () => {
    const bench = new Bench(make);
    // Waited for: a place that is slow to answer is unknown for a while.
    const queued = (by: Executor, key: string, ahead: number): Promise<unknown> =>
      bench.until(key, (seen) => seen.state === 'queued' && seen.ahead === ahead, by);

    test('slots are taken in the order of submits, and the dead lose their place', async () => {
      const { path, open } = bench.gate();
      const began = bench.file('began');
      const single = bench.made.executor({ slots: 1 }, 'fifo');
      const names = ['first', 'second', 'third', 'fourth'];
      const requests = names.map((word) => fakeJob(`fifo-${word}`, { hold: path, began }));
      const [first, second, third, fourth] = requests.map(({ key }) => key);
      if (!first || !second || !third || !fourth) throw new Error('four requests');
      for (const request of requests) await single.submit(request);
      await bench.running(first, single);
      await queued(single, second, 1);
      await queued(single, fourth, 3);
      await bench.made.killWrapper(second);
      await queued(single, fourth, 2);
      await open();
      await bench.over(fourth, single);
      await bench.over(third, single);
      const order = (await readFile(began, 'utf8')).trim().split('\n');
      expect(order).toEqual(['fifo-first', 'fifo-third', 'fifo-fourth']);
      await bench.until(second, ({ state }) => state === 'lost', single);
    });

    test('a job in the queue can be cancelled', async () => {
      const { path } = bench.gate();
      const single = bench.made.executor({ slots: 1 }, 'queue');
      const holder = fakeJob('queue-holder', { hold: path });
      const waiter = fakeJob('queue-waiter');
      await single.submit(holder);
      await single.submit(waiter);
      await single.cancel(waiter.key, 'terminate');
      expect(await single.observe(waiter.key)).toMatchObject({
        outcome: { status: 'user_cancelled' },
      });
      await single.cancel(holder.key, 'terminate');
    });
  });
}
