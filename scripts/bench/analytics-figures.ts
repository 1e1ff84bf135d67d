// Ten figures of a health report as the query process reads them; analytics-node.ts and analytics-polars.py read the same.

/** What needs a look at the facts of each trajectory. */
export const FEATURES: Readonly<Record<string, string>> = {
  is_truncated: 'truncated',
  visible_true_gap: 'visible.score - hidden.score',
  history_read: `len(list_filter(actions, lambda a: a.verb = 'git log' AND a.ok)) > 0`,
  test_edited: `len(list_filter(changes, lambda c: c.kind = 'test')) > 0`,
  malformed_call: `len(list_filter(turns, lambda t: t.role = 'policy' AND t.status = 'malformed')) > 0`,
  submitted_untested:
    `stop_reason = 'submitted' AND ` +
    `coalesce(list_max(list_transform(list_filter(actions, lambda a: a.kind = 'test'), lambda a: a.turn)), -1) <= ` +
    `coalesce(list_max(list_transform(list_filter(actions, lambda a: a.wrote), lambda a: a.turn)), -1)`,
  text_characters: 'list_sum(list_transform(turns, lambda t: len(t.text)))',
};

/** What the figures name beside them. */
export const NAMED = ['task_id', 'group_id', 'reward', 'token_count'];

const share = (name: string): string => `(SELECT avg(${name}::INTEGER) FROM t) AS ${name}`;

export const figuresQuery = `SELECT
  (SELECT avg(m) FROM (SELECT avg(reward) AS m FROM t GROUP BY task_id)) AS reward_mean,
  (SELECT avg((s < 1e-3)::INTEGER)
    FROM (SELECT stddev_pop(reward) AS s FROM t GROUP BY group_id)) AS zero_variance,
  (SELECT corr(token_count, reward) FROM t) AS length_reward,
  (SELECT avg(visible_true_gap) FROM t) AS visible_true_gap,
  (SELECT avg(text_characters) FROM t) AS text_characters,
  ${['is_truncated', 'history_read', 'test_edited', 'malformed_call', 'submitted_untested'].map(share).join(',\n  ')}`;
