/*---
name: completion_tokens
id: D38
description: Mean completion length in tokens.
layer: behavior
unit: tokens
estimate: mean
healthy: [null, null]
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, metric 3.3
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg(completion_tokens) AS m, count(*) AS k, min(trajectory_id) FILTER (is_truncated) AS example
  FROM t
  GROUP BY task_id
)
