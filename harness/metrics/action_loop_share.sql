/*---
name: action_loop_share
id: D32
description: Share of episodes that repeat one action, or a cycle of two or three, at least eight times.
layer: behavior
unit: share of trajectories
estimate: share
healthy: [0, 0.01]
warn: {above: 0.01}
critical: {above: 0.1}
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, a case of 32 runs in a row; eight repeats and the bounds are own
domains: [swe, imported]
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg((action_loop >= 8)::INTEGER) AS m, count(*) AS k, min(trajectory_id) FILTER (action_loop >= 8) AS example
  FROM t
  WHERE action_loop IS NOT NULL
  GROUP BY task_id
)
