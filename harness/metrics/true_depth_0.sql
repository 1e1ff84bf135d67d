/*---
name: true_depth_0
id: D41
description: Mean oracle score of tasks whose fault lies at the root of the call chain, on DIAG.
layer: score
unit: score 0..1
estimate: share
healthy: [0.1, 1]
warn: {below: 0.1}
stage: admitted
source: >-
  EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, dimension 5 (pass rate by difficulty);
  own bounds
domains: [swe.minirepo]
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg(oracle_score) AS m, count(*) AS k, min(trajectory_id) FILTER (oracle_score < 1) AS example
  FROM t JOIN labels USING (trajectory_id)
  WHERE level = 1
  GROUP BY task_id
)
