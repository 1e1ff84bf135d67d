/*---
name: format_failure_share
description: Share of outputs without one answer in the asked form.
layer: behaviour
unit: share of trajectories
estimate: share
healthy: [0, 0.1]
warn: {above: 0.1}
critical: {above: 0.3}
status: admitted
source: trainers-diagnostics-hacks 4.4 D34; domains-and-statistics 5.2 row 1
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg(format_failure::INTEGER) AS m, count(*) AS k, min(trajectory_id) FILTER (format_failure) AS example
  FROM t
  GROUP BY task_id
)
