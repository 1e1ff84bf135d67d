/*---
name: echo_trap_share
id: D35
description: Share of episodes with more than 60 turns and no reward.
layer: behavior
unit: share of trajectories
estimate: share
healthy: [0, 0.05]
warn: {above: 0.05}
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, degeneration classes of the filter (echo trap, 60 turns); own bound
domains: [swe]
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg((reward <= 0 AND turn_count > 60)::INTEGER) AS m, count(*) AS k,
    min(trajectory_id) FILTER (reward <= 0 AND turn_count > 60) AS example
  FROM t
  WHERE reward IS NOT NULL
  GROUP BY task_id
)
