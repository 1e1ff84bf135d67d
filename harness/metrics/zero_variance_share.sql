/*---
name: zero_variance_share
id: D1
description: Share of groups whose rewards are all equal, so that they teach nothing.
layer: signal
unit: share of groups
estimate: share
healthy: [0, 0.3]
warn: {above: 0.3}
critical: {above: 0.5}
stage: admitted
source: >-
  EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, metric 1.4 (30 % and 50 %); TRL metric
  frac_reward_zero_std
---*/
SELECT avg((s < 1e-3)::INTEGER) AS value, count(*) AS n, NULL AS sd, min(group_id, 5) FILTER (s < 1e-3) AS examples
FROM (SELECT group_id, stddev_pop(reward) AS s, avg(reward) AS m FROM t GROUP BY group_id HAVING count(reward) > 1)
