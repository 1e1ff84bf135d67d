/*---
name: abandonment_share
id: D35
description: 'Share of episodes that the agent gave up: at most three turns and no edit.'
layer: behavior
unit: share of trajectories
estimate: share
healthy: [0, 0.05]
warn: {above: 0.05}
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, degeneration classes of the filter (abandonment); own bound
domains: [swe, imported]
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg((turn_count <= 3 AND NOT contains(action_string, 'E'))::INTEGER) AS m, count(*) AS k,
    min(trajectory_id) FILTER (turn_count <= 3 AND NOT contains(action_string, 'E')) AS example
  FROM t
  WHERE action_string <> ''
  GROUP BY task_id
)
