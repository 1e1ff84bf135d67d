/*---
name: text_repetition
id: D23
description: Mean share of word pairs in an output that occurred in it before.
layer: behavior
unit: share
estimate: mean
healthy: [0, 0.5]
warn: {above: 0.5}
stage: admitted
source: THUDM/slime, repetition of n-grams; own bound
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg(text_repetition) AS m, count(*) AS k, min(trajectory_id) FILTER (text_repetition > 0.5) AS example
  FROM t
  GROUP BY task_id
  HAVING count(text_repetition) > 0
)
