/*---
name: true_mean
description: Mean oracle score on DIAG.
layer: score
unit: score 0..1
estimate: share
healthy: [null, null]
stage: admitted
source: ARCHITECTURE.md, Words (oracle)
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg(oracle_score) AS m, count(*) AS k, min(trajectory_id) FILTER (oracle_score = 1) AS example
  FROM t JOIN labels USING (trajectory_id)
  GROUP BY task_id
)
