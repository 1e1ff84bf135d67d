/*---
name: right_without_scratchpad
description: Strict score of outputs without intermediate results, levels 3 and up; guessing scores 0.1.
layer: behavior
unit: score 0..1
estimate: share
healthy: [0.3, 1]
stage: admitted
source: docs/domains/math-chain.md, Bottlenecks
domains: [math.chain]
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg(strict_pass) AS m, count(*) AS k, min(trajectory_id) FILTER (strict_pass = 0) AS example
  FROM t
  WHERE level >= 3 AND NOT has_scratchpad
  GROUP BY task_id
)
