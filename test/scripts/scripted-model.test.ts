// How a scripted model answers by what the conversation says.
import { expect, test } from 'vitest';
import { logLine } from '../../scripts/models/scripted-server.ts';
import { type AskedTurn, fittingRule, parseRules } from '../../scripts/models/script.ts';

const asked = (text: string): AskedTurn => ({
  specialist: 'reward',
  generation: 1,
  turn: 2,
  text,
});

const [rule] = parseRules([
  {
    when: { specialist: 'reward', finds: { id: '"id":"(\\w+)"', n: 'g(\\d+)' } },
    calls: [
      { tool: 'read', input: { id: '{id}', where: ['{id} of {n}, {other}'] } },
      { tool: 'health', input: '{"generation": {n}}' },
    ],
  },
]);

test('the newest match of each pattern stands in the calls', () => {
  if (rule === undefined) throw new Error('there is no rule');
  expect(fittingRule(rule, asked('g1 {"id":"first"} g2 {"id":"second"}'))?.calls).toEqual([
    { tool: 'read', input: { id: 'second', where: ['second of 2, {other}'] } },
    { tool: 'health', input: '{"generation": 2}' },
  ]);
});

test('a rule whose pattern finds nothing does not fit', () => {
  if (rule === undefined) throw new Error('there is no rule');
  expect(fittingRule(rule, asked('g1'))).toBeNull();
});

test('a pattern that is none is refused with its place', () => {
  const rules = [{ when: { finds: { id: '(' } } }];
  expect(() => parseRules(rules)).toThrow(/no pattern: [\s\S]*finds/);
});

test('a log has the request without the key of whoever asked', () => {
  const headers = { authorization: 'Bearer key' };
  const line = logLine({ number: 1, asked: asked('the brief'), body: '{}', headers });
  expect(line).toContain('the brief');
  expect(line).not.toContain('key');
});
