// The ten figures of analytics-figures.ts by plain Node over JSON lines; prints them with the time they took as JSON.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

interface Action {
  readonly turn: number;
  readonly kind: string;
  readonly verb: string;
  readonly wrote: boolean;
  readonly ok: boolean;
}
interface Trajectory {
  readonly task_id: string;
  readonly reward: number;
  readonly token_count: number;
  readonly truncated: boolean;
  readonly stop_reason: string;
  readonly visible: { readonly score: number };
  readonly hidden: { readonly score: number };
  readonly actions: readonly Action[];
  readonly changes: readonly { readonly kind: string }[];
  readonly turns: readonly { role: string; status: string; text: string }[];
}

const read: (text: string) => Trajectory = JSON.parse;
const began = performance.now();
const used = process.cpuUsage();
const sums = new Map<string, number>();
const add = (name: string, value: number | boolean): void => {
  sums.set(name, (sums.get(name) ?? 0) + Number(value));
};
const groups = new Map<string, { k: number; s: number; q: number }>();
let count = 0;
let [x, y, xx, yy, xy] = [0, 0, 0, 0, 0];

const lines = createInterface({ input: createReadStream(process.argv[2] ?? '') });
for await (const line of lines) {
  const one = read(line);
  const { reward, token_count: tokens, actions } = one;
  count += 1;
  const group = groups.get(one.task_id) ?? { k: 0, s: 0, q: 0 };
  groups.set(one.task_id, { k: group.k + 1, s: group.s + reward, q: group.q + reward * reward });
  x += tokens;
  y += reward;
  xx += tokens * tokens;
  yy += reward * reward;
  xy += tokens * reward;
  add('visible_true_gap', one.visible.score - one.hidden.score);
  let characters = 0;
  for (const { text } of one.turns) characters += text.length;
  add('text_characters', characters);
  add('is_truncated', one.truncated);
  add(
    'history_read',
    actions.some(({ verb, ok }) => verb === 'git log' && ok),
  );
  add(
    'test_edited',
    one.changes.some(({ kind }) => kind === 'test'),
  );
  add(
    'malformed_call',
    one.turns.some(({ role, status }) => role === 'policy' && status === 'malformed'),
  );
  const lastOf = (isMeant: (action: Action) => boolean): number =>
    actions.findLast(isMeant)?.turn ?? -1;
  const isUntested = lastOf(({ kind }) => kind === 'test') <= lastOf(({ wrote }) => wrote);
  add('submitted_untested', one.stop_reason === 'submitted' && isUntested);
}
let [means, equal] = [0, 0];
for (const { k, s, q } of groups.values()) {
  means += s / k;
  equal += Number(Math.sqrt(Math.max(0, q / k - (s / k) ** 2)) < 1e-3);
}
const covariance = count * xy - x * y;
const figures = {
  reward_mean: means / groups.size,
  zero_variance: equal / groups.size,
  length_reward: covariance / Math.sqrt((count * xx - x * x) * (count * yy - y * y)),
  ...Object.fromEntries([...sums].map(([name, sum]) => [name, sum / count])),
};
const { user, system } = process.cpuUsage(used);
const taken = {
  wallMs: performance.now() - began,
  cpuMs: (user + system) / 1000,
  peakMb: process.resourceUsage().maxRSS / 1024,
};
console.log(JSON.stringify({ figures, taken }));
