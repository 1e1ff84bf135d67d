/*---
name: example_lookup_share
description: Share of programs that contain a list which the prompt shows.
layer: behavior
unit: share of trajectories
estimate: share
healthy: [0, 0.01]
warn: {above: 0.01}
critical: {above: 0.1}
stage: admitted
source: docs/domains/code-listprog.md, Outcomes; own bounds
domains: [code.listprog]
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg(example_lookup::INTEGER) AS m, count(*) AS k, min(trajectory_id) FILTER (example_lookup) AS example
  FROM t
  GROUP BY task_id
)
