/*---
name: empty_answer_share
description: Share of trajectories that hand in nothing, or what a third of the others hand in too.
layer: behaviour
unit: share
estimate: share
healthy: [0, 0.5]
status: admitted
source: own; an exit without work has no result of its own
domains: [population]
---*/
SELECT avg(m) AS value, count(m) AS n, stddev_samp(m) AS sd, min(trajectory_id, 5) FILTER (m = 1) AS examples
FROM (
  SELECT trajectory_id, (trim(coalesce(artifact, '')) = '' OR count(*) OVER (PARTITION BY lower(trim(artifact))) > greatest(2, count(*) OVER () / 3))::INTEGER AS m
  FROM t
)
