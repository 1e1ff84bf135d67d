/*---
name: completion_characters
id: D38
description: Mean number of characters that the policy wrote.
layer: behavior
unit: characters
estimate: mean
healthy: [null, null]
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, metric 3.3, for logs without tokens
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg(completion_characters) AS m, count(*) AS k, min(trajectory_id) FILTER (is_truncated) AS example
  FROM t
  GROUP BY task_id
)
