/*---
name: checked_steps
description: Mean share of a chain's steps that are written down and right.
layer: behavior
unit: share
estimate: mean
healthy: [0.5, 1]
stage: admitted
source: docs/domains/math-chain.md, Bottlenecks
domains: [math.chain]
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg(checked_steps) AS m, count(*) AS k, min(trajectory_id) FILTER (checked_steps < 0.5) AS example
  FROM t
  GROUP BY task_id
)
