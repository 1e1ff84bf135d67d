/*---
name: truncation_levels_5_6
id: D12
description: Share of episodes of levels 5 and 6 that a limit ended.
layer: behavior
unit: share of trajectories
estimate: share
healthy: [0, 0.2]
warn: {above: 0.2}
critical: {above: 0.9}
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/ANALYSIS_PLAYBOOK.md 4.3, dimension 3, by difficulty; own bounds
domains: [math.chain]
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg(is_truncated::INTEGER) AS m, count(*) AS k, min(trajectory_id) FILTER (is_truncated) AS example
  FROM t
  WHERE level BETWEEN 5 AND 6
  GROUP BY task_id
)
