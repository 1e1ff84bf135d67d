/*---
name: visible_mean
description: Mean score of the verifier that the policy can see.
layer: score
unit: score 0..1
estimate: share
healthy: [null, null]
stage: admitted
source: ARCHITECTURE.md, Words (visible)
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg(visible_pass) AS m, count(*) AS k, min(trajectory_id) FILTER (visible_pass = 1) AS example
  FROM t
  WHERE visible.score IS NOT NULL
  GROUP BY task_id
)
