/*---
name: stop_turn_limit_share
id: D35
description: Share of episodes that the turn limit ended.
layer: behavior
unit: share of trajectories
estimate: share
healthy: [0, 0.2]
warn: {above: 0.2}
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md (20 % in SWE)
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg((stop_reason = 'turn_limit')::INTEGER) AS m, count(*) AS k,
    min(trajectory_id) FILTER (stop_reason = 'turn_limit') AS example
  FROM t
  WHERE stop_reason IS NOT NULL
  GROUP BY task_id
)
