/*---
name: agent_turns
id: D26
description: Mean number of turns per agent episode.
layer: behavior
unit: turns
estimate: mean
healthy: [5, 50]
warn: {above: 50}
critical: {below: 5}
stage: admitted
source: >-
  EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, metric 3.1 (below 5 abandonment, above 50
  an echo trap)
domains: [imported]
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg(turn_count) AS m, count(*) AS k, min(trajectory_id) FILTER (turn_count > 50) AS example
  FROM t
  WHERE action_string <> ''
  GROUP BY task_id
)
