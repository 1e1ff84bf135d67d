/*---
name: answers_per_output
description: Mean number of marked answers.
layer: behavior
unit: answers
estimate: mean
healthy: [0.9, 1.05]
warn: {above: 1.05, below: 0.8}
critical: {above: 2}
stage: admitted
source: docs/domains/math-chain.md, Outcomes; own bounds
domains: [math.chain, own]
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg(answers_count) AS m, count(*) AS k, min(trajectory_id) FILTER (answers_count > 1) AS example
  FROM t
  GROUP BY task_id
)
