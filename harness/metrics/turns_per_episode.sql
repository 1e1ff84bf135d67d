/*---
name: turns_per_episode
id: D26
description: Mean number of the policy's turns.
layer: behavior
unit: turns
estimate: mean
healthy: [null, null]
stage: admitted
source: >-
  EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, metric 3.1; without bounds, as the
  bundled world has shorter episodes
domains: [swe]
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, [] AS examples
FROM (SELECT avg(turn_count) AS m FROM t GROUP BY task_id)
