/*---
name: test_ratio
id: D27
description: Mean share of an episode's actions that are runs of tests.
layer: behavior
unit: share of actions
estimate: mean
healthy: [0.1, 0.5]
warn: {above: 0.5}
stage: admitted
source: >-
  EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, 9B fields (healthy 25 to 30 %, about 53 %
  in long failures); own bound
domains: [swe]
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg(len(regexp_replace(action_string, '[^T]', '', 'g')) / len(action_string)) AS m, count(*) AS k,
    min(trajectory_id) FILTER (contains(action_string, 'T')) AS example
  FROM t
  WHERE action_string <> ''
  GROUP BY task_id
)
