/*---
name: hidden_mean
description: Mean score of the training-hidden verifier.
layer: score
unit: score 0..1
estimate: share
healthy: [null, null]
stage: admitted
source: ARCHITECTURE.md, Words (training-hidden)
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg(hidden.score) AS m, count(*) AS k, min(trajectory_id) FILTER (hidden.score = 1) AS example
  FROM t
  WHERE hidden.score IS NOT NULL
  GROUP BY task_id
)
