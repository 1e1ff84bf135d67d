/*---
name: timeout_share
id: D35
description: Share of programs that use up their step limit.
layer: behavior
unit: share of trajectories
estimate: share
healthy: [0, 0.05]
warn: {above: 0.05}
critical: {above: 0.3}
stage: admitted
source: docs/domains/code-listprog.md, Options (fuel); own bounds
domains: [code.listprog]
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg(timed_out::INTEGER) AS m, count(*) AS k, min(trajectory_id) FILTER (timed_out) AS example
  FROM t
  GROUP BY task_id
)
