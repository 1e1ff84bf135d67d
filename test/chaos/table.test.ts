import { expect, it } from 'vitest';
import type { Kill } from './kill.ts';
import { MACHINE, SUPERVISOR } from './plan.ts';
import { doubleKills, lastKills } from './table.ts';

const kill = (target: string, seconds: number, more: Partial<Kill> = {}): Kill => ({
  ...{ campaign: 1, number: 1, target, how: 'SIGKILL', marks: 0, atMs: seconds * 1000, missed: 0 },
  ...{ what: target, overMs: seconds * 1000, wentOnMs: 1, claims: 0, checkpointsLost: 0 },
  ...more,
});

it('shows machine and supervisor killed within ten seconds of each other, timed from the later kill', () => {
  const machine = kill(MACHINE, 20);
  const [before, after] = [kill(SUPERVISOR, 12), kill(SUPERVISOR, 29)];
  expect(doubleKills([machine, after])).toEqual([after]);
  expect(doubleKills([before, machine])).toEqual([machine]);
  const others = [
    ...[kill(SUPERVISOR, 9), kill(SUPERVISOR, 31), kill('worker', 21)],
    kill(SUPERVISOR, 21, { campaign: 2 }),
    kill(SUPERVISOR, 21, { how: 'SIGSTOP for 2.0 s' }),
  ];
  expect(doubleKills([machine, ...others])).toEqual([]);
});

it('times a kill by itself only where no other one of its campaign struck before work went on', () => {
  const first = kill('worker', 10, { wentOnMs: 8_000 });
  const [during, after] = [kill('trainer', 17, { wentOnMs: 1_000 }), kill('trainer', 19)];
  const elsewhere = kill('worker', 12, { campaign: 2 });
  const forever = kill('wrapper', 30, { wentOnMs: null });
  const all = [first, during, after, elsewhere, forever];
  expect(lastKills(all)).toEqual([during, after, elsewhere, forever]);
});
