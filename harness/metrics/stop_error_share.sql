/*---
name: stop_error_share
id: D35
description: Share of episodes that an error ended.
layer: behavior
unit: share of trajectories
estimate: share
healthy: [0, 0.05]
warn: {above: 0.05}
stage: admitted
source: prime-rl (sustained errors above 5 %)
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg((stop_reason = 'error')::INTEGER) AS m, count(*) AS k,
    min(trajectory_id) FILTER (stop_reason = 'error') AS example
  FROM t
  WHERE stop_reason IS NOT NULL
  GROUP BY task_id
)
