/*---
name: grader_disagreement_share
id: D44
description: Share of labeled trajectories to which two graders give different scores.
layer: score
unit: share of trajectories
estimate: share
healthy: [0, 0]
warn: {above: 0}
critical: {above: 0.01}
stage: admitted
source: >-
  EvoTrainer (arXiv:2606.03108) release, skills/ANALYSIS_PLAYBOOK.md, escalation step 1 (check the evaluator first); own
  bounds
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg((abs(oracle_score - second_grader_score) > 1e-6)::INTEGER) AS m, count(*) AS k,
    min(trajectory_id) FILTER (abs(oracle_score - second_grader_score) > 1e-6) AS example
  FROM t JOIN labels USING (trajectory_id)
  WHERE second_grader_score IS NOT NULL
  GROUP BY task_id
)
