/*---
name: sequence_diversity
id: D23
description: >-
  Mean number of distinct action sequences in a group (of outputs, where no tool is used), divided by its size.
layer: signal
unit: share
estimate: mean
healthy: [0.25, 1]
warn: {below: 0.25}
stage: admitted
source: >-
  EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, rule 3 (tool-sequence diversity); own
  bound
---*/
SELECT avg(d) AS value, count(*) AS n, stddev_samp(d) AS sd, arg_min(group_id, d, 5) AS examples
FROM (
  SELECT group_id, count(DISTINCT coalesce(nullif(action_string, ''), artifact)) / count(*) AS d
  FROM t
  GROUP BY group_id
  HAVING count(*) > 1
)
