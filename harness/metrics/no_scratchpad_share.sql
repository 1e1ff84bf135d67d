/*---
name: no_scratchpad_share
description: Share of outputs without intermediate results, levels 2 and up.
layer: behavior
unit: share of trajectories
estimate: share
healthy: [0, 0.1]
warn: {above: 0.1}
stage: admitted
source: docs/domains/math-chain.md, Bottlenecks; own bound
domains: [math.chain]
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg((NOT has_scratchpad)::INTEGER) AS m, count(*) AS k,
    min(trajectory_id) FILTER (NOT has_scratchpad) AS example
  FROM t
  WHERE level >= 2
  GROUP BY task_id
)
