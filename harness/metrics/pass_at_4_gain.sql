/*---
name: pass_at_4_gain
id: D25
description: 'pass@4 minus pass@1: what more sampling could still find.'
layer: score
unit: points of score
estimate: mean
healthy: [0.02, 1]
warn: {below: 0.02}
stage: admitted
source: Yue et al. (arXiv:2504.13837) on pass@k as what the base model can already do; own bound
---*/
SELECT avg(p) AS value, count(*) AS n, stddev_samp(p) AS sd, [] AS examples
FROM (
  -- The product is C(n - c, k) / C(n, k): the probability that none of k samples is right.
  SELECT (1 - list_product([greatest(0, n - c - i) / (n - i) for i in [0, 1, 2, 3]])) - c / n AS p
  FROM (
    SELECT task_id, count(*) AS n, count(*) FILTER (oracle_score = 1) AS c
    FROM t JOIN labels USING (trajectory_id)
    WHERE oracle_score IS NOT NULL
    GROUP BY task_id
    HAVING count(*) >= 4
  )
)
