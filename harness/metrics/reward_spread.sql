/*---
name: reward_spread
id: D2
description: Mean standard deviation of rewards within a group.
layer: signal
unit: reward
estimate: mean
healthy: [0.05, null]
warn: {below: 0.05}
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, metric 1.5 (0.05)
---*/
SELECT avg(s) AS value, count(*) AS n, stddev_samp(s) AS sd, arg_min(group_id, s, 5) AS examples
FROM (SELECT group_id, stddev_pop(reward) AS s, avg(reward) AS m FROM t GROUP BY group_id HAVING count(reward) > 1)
