/*---
name: stop_token_limit_share
id: D35
description: Share of episodes that the token limit ended.
layer: behavior
unit: share of trajectories
estimate: share
healthy: [0, 0.15]
warn: {above: 0.15}
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/ANALYSIS_PLAYBOOK.md 4.3, dimension 3 (15 %)
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg((stop_reason = 'token_limit')::INTEGER) AS m, count(*) AS k,
    min(trajectory_id) FILTER (stop_reason = 'token_limit') AS example
  FROM t
  WHERE stop_reason IS NOT NULL
  GROUP BY task_id
)
