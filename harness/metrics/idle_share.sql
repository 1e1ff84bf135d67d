/*---
name: idle_share
id: D35
description: Share of episodes without an edit and without a reward.
layer: behavior
unit: share of trajectories
estimate: share
healthy: [0, 0.2]
warn: {above: 0.2}
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, degeneration classes of the filter (idle); own bound
domains: [swe]
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg((reward <= 0 AND NOT contains(action_string, 'E'))::INTEGER) AS m, count(*) AS k,
    min(trajectory_id) FILTER (reward <= 0 AND NOT contains(action_string, 'E')) AS example
  FROM t
  WHERE reward IS NOT NULL AND action_string IS NOT NULL
  GROUP BY task_id
)
