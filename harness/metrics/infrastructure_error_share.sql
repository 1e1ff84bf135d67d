/*---
name: infrastructure_error_share
id: D35
description: Share of episodes that failed for a reason outside the policy.
layer: behavior
unit: share of trajectories
estimate: share
healthy: [0, 0.01]
warn: {above: 0.01}
critical: {above: 0.05}
stage: admitted
source: docs/gate.md, guard 2 (1 %)
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg(infrastructure_error::INTEGER) AS m, count(*) AS k,
    min(trajectory_id) FILTER (infrastructure_error) AS example
  FROM t
  WHERE coalesce(visible.verdict, hidden.verdict, stop_reason) IS NOT NULL
  GROUP BY task_id
)
