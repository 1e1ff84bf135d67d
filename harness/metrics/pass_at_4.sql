/*---
name: pass_at_4
id: D25
description: >-
  Unbiased probability that at least one of four samples of a task is right by the oracle: 1 - C(n-c, 4) / C(n, 4).
layer: score
unit: score 0..1
estimate: mean
healthy: [null, null]
stage: admitted
source: Chen et al. (arXiv:2107.03374), the unbiased estimator
---*/
SELECT avg(p) AS value, count(*) AS n, stddev_samp(p) AS sd, [] AS examples
FROM (
  -- The product is C(n - c, k) / C(n, k): the probability that none of k samples is right.
  SELECT (1 - list_product([greatest(0, n - c - i) / (n - i) for i in [0, 1, 2, 3]])) AS p
  FROM (
    SELECT task_id, count(*) AS n, count(*) FILTER (oracle_score = 1) AS c
    FROM t JOIN labels USING (trajectory_id)
    WHERE oracle_score IS NOT NULL
    GROUP BY task_id
    HAVING count(*) >= 4
  )
)
