/*---
name: true_depth_4_5
id: D41
description: Mean oracle score of programs of four and five steps on DIAG.
layer: score
unit: score 0..1
estimate: share
healthy: [0.2, 1]
stage: admitted
source: >-
  EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, dimension 5 (pass rate by difficulty);
  own bounds
domains: [code.listprog]
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg(oracle_score) AS m, count(*) AS k, min(trajectory_id) FILTER (oracle_score < 1) AS example
  FROM t JOIN labels USING (trajectory_id)
  WHERE level BETWEEN 4 AND 5
  GROUP BY task_id
)
