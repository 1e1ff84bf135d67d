/*---
name: no_answer_share
id: D34
description: Share of outputs without a marked answer.
layer: behavior
unit: share of trajectories
estimate: share
healthy: [0, 0.05]
warn: {above: 0.05}
critical: {above: 0.3}
stage: admitted
source: docs/domains/math-chain.md, Bottlenecks; own bounds
domains: [math.chain, own]
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg(no_answer::INTEGER) AS m, count(*) AS k, min(trajectory_id) FILTER (no_answer) AS example
  FROM t
  GROUP BY task_id
)
