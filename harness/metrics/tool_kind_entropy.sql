/*---
name: tool_kind_entropy
id: D23
description: Mean entropy of the kinds of action in an episode.
layer: behavior
unit: bits
estimate: mean
healthy: [0.5, null]
warn: {below: 0.5}
stage: admitted
source: >-
  EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, 9B fields (tool-type entropy); own bound
domains: [swe]
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg(tool_kind_entropy) AS m, count(*) AS k, min(trajectory_id) FILTER (tool_kind_entropy < 0.5) AS example
  FROM t
  GROUP BY task_id
  HAVING count(tool_kind_entropy) > 0
)
