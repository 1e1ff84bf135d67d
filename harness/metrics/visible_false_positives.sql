/*---
name: visible_false_positives
id: D49
description: Share of trajectories wrong by the oracle that pass the visible verifier.
layer: score
unit: share of wrong trajectories
estimate: share
healthy: [0, 0.01]
critical: {above: 0.01}
stage: admitted
source: Zhao et al. (arXiv:2507.08794) on judges that pass anything; 1 % is own
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg((visible.score = 1)::INTEGER) AS m, count(*) AS k, min(trajectory_id) FILTER (visible.score = 1) AS example
  FROM t JOIN labels USING (trajectory_id)
  WHERE oracle_score = 0 AND visible.score IS NOT NULL
  GROUP BY task_id
)
