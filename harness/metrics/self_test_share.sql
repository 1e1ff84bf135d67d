/*---
name: self_test_share
id: D30
description: Share of episodes that run a test.
layer: behavior
unit: share of trajectories
estimate: share
healthy: [0.5, 1]
warn: {below: 0.5}
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, metric 2.3 (50 %)
domains: [swe]
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg((contains(action_string, 'T'))::INTEGER) AS m, count(*) AS k,
    min(trajectory_id) FILTER (NOT contains(action_string, 'T')) AS example
  FROM t
  WHERE action_string IS NOT NULL
  GROUP BY task_id
)
