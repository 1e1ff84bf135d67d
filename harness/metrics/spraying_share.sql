/*---
name: spraying_share
description: Share of outputs that mark more than one answer.
layer: behavior
unit: share of trajectories
estimate: share
healthy: [0, 0.02]
warn: {above: 0.02}
critical: {above: 0.2}
stage: admitted
source: docs/domains/math-chain.md, Outcomes; own bounds
domains: [math.chain, own]
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg((answers_count > 1)::INTEGER) AS m, count(*) AS k, min(trajectory_id) FILTER (answers_count > 1) AS example
  FROM t
  GROUP BY task_id
)
