/*---
name: format_failure_share
id: D34
description: Share of outputs without one answer in the required form.
layer: behavior
unit: share of trajectories
estimate: share
healthy: [0, 0.1]
warn: {above: 0.1}
critical: {above: 0.3}
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/ANALYSIS_PLAYBOOK.md 4.3, dimension 2 (30 %); the warning is own
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg(format_failure::INTEGER) AS m, count(*) AS k, min(trajectory_id) FILTER (format_failure) AS example
  FROM t
  GROUP BY task_id
)
