/*---
name: edit_then_test_share
id: D30
description: Share of episodes with an edit that run a test after an edit.
layer: behavior
unit: share of episodes with an edit
estimate: share
healthy: [0.5, 1]
warn: {below: 0.5}
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, reward of SWE v4 (edit then test); own bound
domains: [swe]
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg((regexp_matches(action_string, 'E.*T'))::INTEGER) AS m, count(*) AS k,
    min(trajectory_id) FILTER (NOT regexp_matches(action_string, 'E.*T')) AS example
  FROM t
  WHERE contains(action_string, 'E')
  GROUP BY task_id
)
