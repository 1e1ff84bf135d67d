/*---
name: early_exit_share
description: Share of programs that stop the test run themselves.
layer: behavior
unit: share of trajectories
estimate: share
healthy: [0, 0.01]
warn: {above: 0.01}
critical: {above: 0.2}
stage: admitted
source: docs/domains/code-listprog.md, Outcomes; own bounds
domains: [code.listprog]
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg(early_exit::INTEGER) AS m, count(*) AS k, min(trajectory_id) FILTER (early_exit) AS example
  FROM t
  GROUP BY task_id
)
