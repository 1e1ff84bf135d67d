/*---
name: truncation_share
id: D12
description: Share of episodes that a limit ended.
layer: behavior
unit: share of trajectories
estimate: share
healthy: [0, 0.15]
warn: {above: 0.15}
critical: {above: 0.9}
stage: admitted
source: >-
  EvoTrainer (arXiv:2606.03108) release, skills/ANALYSIS_PLAYBOOK.md 4.3, dimension 3 (15 %); huggingface/trl#5697 on
  training in which nearly all is cut off
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg(is_truncated::INTEGER) AS m, count(*) AS k, min(trajectory_id) FILTER (is_truncated) AS example
  FROM t
  GROUP BY task_id
)
