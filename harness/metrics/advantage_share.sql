/*---
name: advantage_share
id: D6
description: Share of trajectories with a nonzero advantage.
layer: signal
unit: share of trajectories
estimate: share
healthy: [0.3, 1]
critical: {below: 0.001}
stage: admitted
source: >-
  EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md (critical where all are zero); the healthy
  range is own
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg((abs(advantage) > 1e-6)::INTEGER) AS m, count(*) AS k,
    min(trajectory_id) FILTER (abs(advantage) > 1e-6) AS example
  FROM t
  WHERE advantage IS NOT NULL
  GROUP BY task_id
)
