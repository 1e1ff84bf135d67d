/*---
name: tool_error_share
id: D33
description: Mean share of the turns with tool calls in which a call failed.
layer: behavior
unit: share of turns
estimate: mean
healthy: [0, 0.3]
warn: {above: 0.3}
stage: admitted
source: >-
  EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, metric 2.2; TRL metric
  tools/failure_frequency; own bound
domains: [swe]
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg(tool_error_ratio) AS m, count(*) AS k, min(trajectory_id) FILTER (tool_error_ratio > 0.5) AS example
  FROM t
  GROUP BY task_id
  HAVING count(tool_error_ratio) > 0
)
