/*---
name: unsolved_dead_share
id: D1
description: Share of groups with equal rewards below the top fifth of the rewards.
layer: signal
unit: share of groups
estimate: share
healthy: [0, 0.3]
warn: {above: 0.3}
critical: {above: 0.5}
stage: admitted
source: >-
  EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, metric 1.4 (30 % and 50 %); that groups
  in the top fifth are solved is own
domains: [imported]
---*/
SELECT avg((s < 1e-3 AND m < top)::INTEGER) AS value, count(*) AS n, NULL AS sd,
  min(group_id, 5) FILTER (s < 1e-3 AND m < top) AS examples
FROM (SELECT group_id, stddev_pop(reward) AS s, avg(reward) AS m FROM t GROUP BY group_id HAVING count(reward) > 1),
  (SELECT max(reward) - 0.2 * (max(reward) - min(reward)) - 1e-3 AS top FROM t)
