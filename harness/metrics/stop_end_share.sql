/*---
name: stop_end_share
id: D35
description: Share of episodes that the policy ended.
layer: behavior
unit: share of trajectories
estimate: share
healthy: [null, null]
stage: admitted
source: THUDM/slime and rLLM, mix of terminations
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg((stop_reason = 'end')::INTEGER) AS m, count(*) AS k,
    min(trajectory_id) FILTER (stop_reason = 'end') AS example
  FROM t
  WHERE stop_reason IS NOT NULL
  GROUP BY task_id
)
