/*---
name: wrong_value_depth_1_2
description: Share of well-formed programs of one or two steps that compute a wrong value.
layer: behavior
unit: share of trajectories
estimate: share
healthy: [0, 0.1]
warn: {above: 0.1}
critical: {above: 0.5}
stage: admitted
source: docs/domains/code-listprog.md, Bottlenecks (wrong operator); own bounds
domains: [code.listprog]
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg(wrong_value::INTEGER) AS m, count(*) AS k, min(trajectory_id) FILTER (wrong_value) AS example
  FROM t
  WHERE level <= 2 AND NOT format_failure
  GROUP BY task_id
)
