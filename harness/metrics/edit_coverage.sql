/*---
name: edit_coverage
id: D28
description: Share of episodes with at least one edit; the others cannot have solved anything.
layer: behavior
unit: share of trajectories
estimate: share
healthy: [0.6, 1]
warn: {below: 0.6}
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, metric 2.4 (60 %)
domains: [swe]
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg((contains(action_string, 'E'))::INTEGER) AS m, count(*) AS k,
    min(trajectory_id) FILTER (NOT contains(action_string, 'E')) AS example
  FROM t
  WHERE action_string IS NOT NULL
  GROUP BY task_id
)
