/*---
name: distinct_completions
id: D23
description: Mean number of distinct completions in a group, divided by its size.
layer: signal
unit: share
estimate: mean
healthy: [0.4, 1]
warn: {below: 0.4}
critical: {below: 0.15}
stage: admitted
source: >-
  EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, metric 2.5 (solution diversity), for
  outputs of one turn; own bounds
---*/
SELECT avg(d) AS value, count(*) AS n, stddev_samp(d) AS sd, arg_min(group_id, d, 5) AS examples
FROM (SELECT group_id, count(DISTINCT artifact) / count(*) AS d FROM t GROUP BY group_id)
