import { describe, expect, it } from 'vitest';
import type { AskedRequest } from './asked-models.ts';
import { findAskedProblems } from './asked-problems.ts';
import { SAMPLE_MS } from './watch.ts';

const request = (number: number, turn: number, arrivedAt: number, more: object = {}) =>
  ({
    number,
    asked: { specialist: 'reward', generation: 1, turn },
    arrivedAt,
    end: 'served',
    ...more,
  }) satisfies AskedRequest;
const reply = (number: number, key = `key-${number}`) => ({ key, number });
const kill = (atMs: number, overMs = atMs) => ({ atMs, overMs });

/** Kills are timed from 1000. */
const judged = (
  recorded: readonly ReturnType<typeof reply>[],
  requests: readonly AskedRequest[],
  recordedAt: Readonly<Record<string, number>>,
  kills: readonly ReturnType<typeof kill>[] = [],
) => {
  const acceptedAt = new Map(Object.entries(recordedAt));
  return findAskedProblems(recorded, requests, { acceptedAt }, { kills, startedAt: 1000 });
};

describe('the requests to models of a disturbed campaign', () => {
  it('are one for each reply that was recorded', () => {
    const { problems, asked } = judged(
      [reply(1), reply(2)],
      [request(1, 1, 1000), request(2, 2, 1300)],
      { 'key-1': 1200, 'key-2': 1500 },
    );
    expect(problems).toEqual([]);
    expect(asked).toEqual({ requests: 2, recorded: 2, met: 0 });
  });

  it('may be sent again where a kill met them, but once for each', () => {
    const requests = [request(1, 1, 1100, { end: null }), request(2, 1, 1500)];
    const at = { 'key-2': 1700 };
    expect(judged([reply(2)], requests, at, [kill(300)]).problems).toEqual([]);
    expect(judged([reply(2)], requests, at, [kill(20, 150)]).problems).toEqual([]);
    const unmet = ['1 requests were sent again, but kills met 0 calls'];
    expect(judged([reply(2)], requests, at, [kill(50)]).problems).toEqual(unmet);
    expect(judged([reply(2)], requests, at, [kill(800)]).problems).toEqual(unmet);
    const more = [...requests, request(3, 1, 1550, { end: null })];
    expect(judged([reply(2)], more, at, [kill(300)]).problems).toHaveLength(1);
  });

  it('are none for what was recorded', () => {
    const late = request(2, 1, 1200 + SAMPLE_MS + 1);
    const { problems } = judged([reply(1)], [request(1, 1, 1000), late], { 'key-1': 1200 }, [
      kill(100),
    ]);
    expect(problems).toEqual([
      'request 2 asked for turn 1 of reward in generation 1 again, which was recorded',
    ]);
  });

  it('do not count where the server refused them', () => {
    const refused = request(1, 1, 1000, { end: 'refused' });
    const { problems } = judged([reply(2)], [refused, request(2, 1, 1500)], { 'key-2': 1600 });
    expect(problems).toEqual([]);
  });

  it('were served where a reply was recorded, which was recorded once', () => {
    const cut = request(1, 1, 1000, { end: null });
    expect(judged([reply(1)], [cut], {}).problems).toEqual([
      'reply 1 was recorded, but not served [key-1]',
    ]);
    expect(judged([reply(7)], [request(1, 1, 1000)], {}).problems).toHaveLength(1);
    expect(
      judged([reply(1), reply(1, 'key-2')], [request(1, 1, 1000), request(2, 2, 1200)], {})
        .problems,
    ).toContain('reply 1 was recorded twice [key-2]');
  });
});
